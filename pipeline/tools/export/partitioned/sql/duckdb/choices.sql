-- Choices: which part of a vote goes to which option (contestedness, likeness). A list gives each of its options the same.
-- Range: parts 0..1, summing to 1 per choice. Unit: parts of one vote's power.
-- Unknown: no rows for an unreadable choice.
-- From: choice (a single one is an option `2`, a list `[1,3]`, weights are an object of options `{"1":0.5,"3":2}`).
-- Makes: choice_part (with the number of a choice's options), choice_list (the first option of each list).
CREATE OR REPLACE TABLE choice_list AS
SELECT choice_no, listed, CAST(SUBSTRING(listed, 1, POSITION(',' IN listed || ',') - 1) AS INTEGER) AS first_no
FROM (SELECT choice_no, REPLACE(REPLACE(COALESCE(choice_text, ''), '[', ''), ']', '') AS listed FROM choice WHERE choice_kind = 'list') AS bare;

CREATE OR REPLACE TABLE choice_part AS
SELECT choice_no, option_no, weight / SUM(weight) OVER (PARTITION BY choice_no) AS part, COUNT(*) OVER (PARTITION BY choice_no) AS options
FROM (
  SELECT choice_no, CAST(choice_text AS DOUBLE) AS option_no, CAST(1 AS DOUBLE) AS weight
  FROM choice
  WHERE choice_kind = 'single'
  UNION ALL
  SELECT choice_no, CAST(option_key AS DOUBLE), CAST(1 AS DOUBLE)
  FROM (SELECT choice_no, UNNEST(STRING_SPLIT(listed, ',')) AS option_key FROM choice_list) AS split
  UNION ALL
  SELECT choice_no, CAST(option_key AS DOUBLE), CAST(json_extract_string(choice_text, '$."' || option_key || '"') AS DOUBLE)
  FROM (SELECT choice_no, choice_text, UNNEST(json_keys(choice_text)) AS option_key FROM choice WHERE choice_kind = 'weights') AS keyed
) AS weighed_option
WHERE weight > 0;
