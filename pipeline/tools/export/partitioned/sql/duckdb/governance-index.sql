-- Decentralized Governance Index (dgi): how healthy is the governance of DAOs as a whole?
-- Range: 0..10 points, a mean by index_weight, of points and of the ends of gvs. Unit: DAOs with a weight.
-- Unknown: no row with fewer than 5 DAOs.
-- From: moment, scored. Makes: governance_index (by moment).
CREATE OR REPLACE TABLE governance_index AS
SELECT scored.moment_no, moment.at_ms, moment.is_current, SUM(index_weight * gvs) / SUM(index_weight) AS composite,
  SUM(index_weight * hpr) / SUM(index_weight) AS hpr, SUM(index_weight * dei) / SUM(index_weight) AS dei,
  SUM(index_weight * pdi) / SUM(index_weight) AS pdi, SUM(index_weight * gpi) / SUM(index_weight) AS gpi, COUNT(*) AS dao_count,
  SUM(index_weight * gvs_low) / SUM(index_weight) AS composite_low, SUM(index_weight * gvs_high) / SUM(index_weight) AS composite_high
FROM scored
JOIN moment ON moment.moment_no = scored.moment_no
WHERE unscored IS NULL AND index_weight > 0 AND (is_current = 1 OR is_history_day = 1)
GROUP BY scored.moment_no, moment.at_ms, moment.is_current
HAVING COUNT(*) >= 5;
