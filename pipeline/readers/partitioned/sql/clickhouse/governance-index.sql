-- Generated from duckdb/ by the table of words in the tests: change that file, not this one.
-- Decentralized Governance Index (dgi): how healthy is the governance of DAOs as a whole?
-- Range: 0..10 points, a mean by index_weight, so that members enter and leave without a jump. Unit: DAOs with a weight.
-- Unknown: no row with fewer than 5 DAOs.
-- From: moment, scored. Makes: governance_index (by moment).
CREATE OR REPLACE TABLE governance_index ENGINE = MergeTree ORDER BY tuple() AS
SELECT scored.moment_no AS moment_no, moment.at_ms AS at_ms, moment.is_current AS is_current, SUM(index_weight * gvs) / SUM(index_weight) AS composite,
  SUM(index_weight * hpr) / SUM(index_weight) AS hpr, SUM(index_weight * dei) / SUM(index_weight) AS dei,
  SUM(index_weight * pdi) / SUM(index_weight) AS pdi, SUM(index_weight * gpi) / SUM(index_weight) AS gpi, toInt64(COUNT(*)) AS dao_count
FROM scored
JOIN moment ON moment.moment_no = scored.moment_no
WHERE unscored IS NULL AND index_weight > 0 AND (is_current = 1 OR is_history_day = 1)
GROUP BY scored.moment_no, moment.at_ms, moment.is_current
HAVING toInt64(COUNT(*)) >= 5;
