-- Decentralized Governance Index (dgi): how healthy is the governance of DAOs as a whole?
-- Range: 0..10 points, a plain mean, every member weighs the same. Unit: DAOs with attention of at least 5 and completeness of
-- at least 60 % on the day before the calendar quarter.
-- Gap: no row with fewer than 5 scored members.
-- From: moment, vitality, daily_point. Makes: index_member (by moment), governance_index (by moment).
CREATE OR REPLACE TABLE index_member AS
SELECT moment.moment_no, frozen.space_id, frozen.attention_sum AS freeze_attention_sum, frozen.completeness_pct AS freeze_completeness_pct,
  CASE WHEN frozen.attention_sum >= 5 AND frozen.completeness_pct >= 60 THEN 1 ELSE 0 END AS is_member
FROM moment
JOIN daily_point AS frozen ON frozen.at_ms = moment.freeze_ms;

CREATE OR REPLACE TABLE governance_index AS
SELECT vitality.moment_no, moment.at_ms, moment.is_current, AVG(gvs) AS composite, AVG(hpr) AS hpr, AVG(dei) AS dei, AVG(pdi) AS pdi,
  AVG(gpi) AS gpi, COUNT(*) AS dao_count
FROM vitality
JOIN moment ON moment.moment_no = vitality.moment_no
JOIN index_member ON index_member.moment_no = vitality.moment_no AND index_member.space_id = vitality.space_id
WHERE is_member = 1 AND gvs IS NOT NULL AND (is_current = 1 OR is_history_day = 1)
GROUP BY vitality.moment_no, moment.at_ms, moment.is_current
HAVING COUNT(*) >= 5;
