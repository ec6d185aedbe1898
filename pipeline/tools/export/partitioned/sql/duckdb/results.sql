-- Results: the scores of the version, one row per DAO.
-- Range: as for each measure. Unit: as for each measure, unrounded.
-- Unknown: NULL. unscored is why a DAO has an interval but no score.
-- From: scored, presence, risk, activity, completeness, trend, ranking, gvs_change, moment. Makes: dao_score.
CREATE OR REPLACE TABLE dao_score AS
SELECT scored.space_id, gvs, gvs_low, gvs_high, hpr, dei, pdi, gpi, known_share, presence.low AS presence_low, presence.high AS presence_high,
  unscored, members, eligible, gvs_confidence, index_weight, risk.point AS risk_score, risk.low AS risk_low, risk.high AS risk_high,
  CASE WHEN majority_voters >= 10 THEN 'low' WHEN majority_voters >= 4 THEN 'moderate' WHEN majority_voters >= 2 THEN 'high' WHEN majority_voters >= 1 THEN 'critical' END AS governance_capture_risk,
  active_voters, proposals_per_month, whale_control_pct, checkpoint_voting_pct, trend.trend AS risk_trend, completeness_pct, rank, best, worst, ranking.total AS ranked, category_rank, category_total, delta_24h
FROM scored
JOIN moment ON moment.moment_no = scored.moment_no
JOIN presence ON presence.moment_no = scored.moment_no AND presence.space_id = scored.space_id
JOIN trend ON trend.space_id = scored.space_id
LEFT JOIN risk ON risk.moment_no = scored.moment_no AND risk.space_id = scored.space_id
LEFT JOIN activity ON activity.moment_no = scored.moment_no AND activity.space_id = scored.space_id
LEFT JOIN completeness ON completeness.moment_no = scored.moment_no AND completeness.space_id = scored.space_id
LEFT JOIN ranking ON ranking.space_id = scored.space_id
LEFT JOIN gvs_change ON gvs_change.space_id = scored.space_id
WHERE is_current = 1;
