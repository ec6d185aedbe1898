-- Choices: what part of a vote goes to which option (contestedness).
-- Range: parts 0..1, their sum over a choice 1. Unit: parts of one vote's power.
-- Gap: an order or an approval does not say how it shares its power: no rows.
-- From: choice (a single one is an option `2`, weights are `{"1":0.5,"3":2}`). Makes: choice_part.
CREATE OR REPLACE TABLE choice_part ENGINE = MergeTree ORDER BY choice_no AS
SELECT choice_no, option_no, weight / SUM(weight) OVER (PARTITION BY choice_no) AS part
FROM (
  SELECT choice_no, assumeNotNull(choice_text) AS option_no, toFloat64(1) AS weight
  FROM choice
  WHERE choice_kind = 'single'
  UNION ALL
  SELECT choice_no, option_weight.1, option_weight.2
  FROM (
    SELECT choice_no, arrayJoin(JSONExtractKeysAndValues(assumeNotNull(choice_text), 'Float64')) AS option_weight
    FROM choice
    WHERE choice_kind = 'weights'
  ) AS weighed
) AS options
WHERE weight > 0;
