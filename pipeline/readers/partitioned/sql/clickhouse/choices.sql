-- Generated from duckdb/ by the table of words in the tests: change that file, not this one.
-- Choices: which part of a vote goes to which option (contestedness).
-- Range: parts 0..1, summing to 1 per choice. Unit: parts of one vote's power.
-- Unknown: no rows for an order or an approval, as it does not divide its power.
-- From: choice (a single one is an option `2`, weights are an object of options `{"1":0.5,"3":2}`). Makes: choice_part.
CREATE OR REPLACE TABLE choice_part ENGINE = MergeTree ORDER BY tuple() AS
SELECT choice_no, option_no, weight / SUM(weight) OVER (PARTITION BY choice_no) AS part
FROM (
  SELECT choice_no, toFloat64OrNull(choice_text) AS option_no, CAST(1 AS DOUBLE) AS weight
  FROM choice
  WHERE choice_kind = 'single'
  UNION ALL
  SELECT choice_no, toFloat64OrNull(option_key), JSONExtractFloat(assumeNotNull(choice_text), option_key)
  FROM (SELECT choice_no, choice_text, arrayJoin(JSONExtractKeys(assumeNotNull(choice_text))) AS option_key FROM choice WHERE choice_kind = 'weights') AS keyed
) AS options
WHERE weight > 0;
