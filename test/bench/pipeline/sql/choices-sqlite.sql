-- SQLite: every distinct choice of a voting type, whether it can be counted, and what part of a vote it gives to which option.
CREATE TABLE choice_seen AS
SELECT ROW_NUMBER() OVER (ORDER BY voting_type, choices_count, choice) AS choice_no, choice, voting_type, choices_count,
  json_type(choice) AS form
FROM (
  SELECT DISTINCT vote.choice, proposal.voting_type, proposal.choices_count
  FROM vote
  JOIN proposal ON proposal.proposal_id = vote.proposal_id
) AS seen;

-- A list names options, an object weighs them; zero weights are dropped.
CREATE TABLE choice_option AS
SELECT choice_no, voting_type, choices_count, form,
  CASE WHEN form = 'object' THEN CAST(each_option.key AS INTEGER) ELSE each_option.value END AS option_no,
  CASE WHEN form = 'object' THEN each_option.value ELSE 1.0 END AS weight
FROM choice_seen
JOIN json_each(choice_seen.choice) AS each_option;
