-- Which choices can be counted: one option, a list of distinct ones, or weights from 0 up, as the voting type asks; all of them in range.
CREATE TABLE choice_form AS
SELECT choice_seen.choice_no, choice_seen.choice, choice_seen.voting_type, choice_seen.choices_count,
  CASE WHEN (
      (choice_seen.voting_type IN ('basic', 'single-choice') AND choice_seen.form = 'integer')
      OR (choice_seen.voting_type IN ('approval', 'ranked-choice', 'copeland') AND choice_seen.form = 'array' AND named = distinct_named)
      OR (choice_seen.voting_type IN ('weighted', 'quadratic') AND choice_seen.form = 'object' AND least >= 0 AND weight_sum > 0)
    ) AND first_option >= 1 AND last_option <= choice_seen.choices_count THEN 1 ELSE 0 END AS is_readable
FROM choice_seen
LEFT JOIN (
  SELECT choice_no, COUNT(*) AS named, COUNT(DISTINCT option_no) AS distinct_named, MIN(option_no) AS first_option,
    MAX(option_no) AS last_option, MIN(weight) AS least, SUM(weight) AS weight_sum
  FROM choice_option
  GROUP BY choice_no
) AS options ON options.choice_no = choice_seen.choice_no;

-- The part (0 to 1) of a vote that goes to each option; lists do not say.
CREATE TABLE choice_part AS
SELECT choice_no, option_no, weight * 1.0 / SUM(weight) OVER (PARTITION BY choice_no) AS part
FROM choice_option
WHERE form IN ('integer', 'object') AND weight > 0;
