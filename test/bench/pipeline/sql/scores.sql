-- Thin evidence, GVS, risk and completeness (methodology §6, §7, §10). Made for each day.

-- Components as they are published: thin evidence can lower a score, never raise it.
DROP TABLE IF EXISTS published;
CREATE TABLE published AS
SELECT component.*, evidence_share,
  hpr - (1 - evidence_share) * CASE WHEN hpr > 5 THEN hpr - 5 ELSE 0 END AS hpr_after,
  dei - (1 - evidence_share) * CASE WHEN dei > 5 THEN dei - 5 ELSE 0 END AS dei_after,
  pdi - (1 - evidence_share) * CASE WHEN pdi > 5 THEN pdi - 5 ELSE 0 END AS pdi_after,
  gpi - (1 - evidence_share) * CASE WHEN gpi > 5 THEN gpi - 5 ELSE 0 END AS gpi_after
FROM component
JOIN (
  SELECT space_id, CASE WHEN attention_sum > 20 THEN 1.0 ELSE attention_sum / 20 END AS evidence_share FROM frame
) AS evidence ON evidence.space_id = component.space_id;

-- Floors of risk: dominance, and active voters of 90 days (a gap where there were proposals and no ballot of theirs is held).
DROP TABLE IF EXISTS risk_floor;
CREATE TABLE risk_floor AS
SELECT measured.space_id,
  CASE WHEN 2 * SUM(CASE WHEN nakamoto = 1 THEN attention ELSE 0 END) / SUM(CASE WHEN nakamoto IS NOT NULL THEN attention END) > 1 THEN 75.0
    ELSE 150 * SUM(CASE WHEN nakamoto = 1 THEN attention ELSE 0 END) / SUM(CASE WHEN nakamoto IS NOT NULL THEN attention END) END AS dominance,
  CASE WHEN MAX(end_s) > MIN(as_of_s) - 90 * 86400 THEN MAX(active_heads) WHEN MAX(recent.ended) IS NULL THEN 0 END AS active_voters,
  100 * SUM(attention * batch_votes) / SUM(attention * counted_votes) AS batch_voting_pct
FROM measured
CROSS JOIN moment
JOIN heads_of ON heads_of.space_id = measured.space_id
LEFT JOIN (
  SELECT space_id, COUNT(*) AS ended FROM attended CROSS JOIN moment WHERE end_s > as_of_s - 90 * 86400 GROUP BY space_id
) AS recent ON recent.space_id = measured.space_id
GROUP BY measured.space_id;

-- Completeness by its parts, plain means over members and missing ones. An archive is as fresh as it will ever be.
DROP TABLE IF EXISTS completeness;
CREATE TABLE completeness AS
SELECT own.space_id,
  100 * (0.4 * COALESCE(votes, 0) + 0.2 * final_share + 0.15 * COALESCE(reconciled, 0) + 0.15 * fields + 0.1)
    / (CASE WHEN votes IS NULL THEN 0 ELSE 0.4 END + 0.2 + CASE WHEN reconciled IS NULL THEN 0 ELSE 0.15 END + 0.15 + 0.1) AS completeness_pct
FROM (
  SELECT space_id, AVG(votes) AS votes, AVG(reconciled) AS reconciled,
    0.5 + 0.5 * SUM(final_votes) / SUM(fetched_votes) AS final_share,
    AVG(fields_known) * SUM(readable_votes) / SUM(fetched_votes) AS fields
  FROM (
    SELECT space_id, fields_known, final_votes, readable_votes, fetched_votes,
      CASE WHEN votes_count = 0 OR fetched_votes > votes_count THEN 1.0 ELSE fetched_votes * 1.0 / votes_count END AS votes,
      CASE WHEN ABS(fetched_power - scores_total) <= 0.01 * ABS(scores_total) THEN 1.0
        WHEN fetched_power IS NOT NULL AND scores_total IS NOT NULL THEN 0.0 END AS reconciled
    FROM measured
    UNION ALL
    SELECT missing.space_id, 1.0, 0, 0, 0, 0.0, CASE WHEN scores_total IS NULL THEN NULL ELSE 0.0 END
    FROM missing
    JOIN numbered ON numbered.proposal_no = missing.proposal_no
  ) AS counted_in
  GROUP BY space_id
) AS own;

-- Velocity: Σω of the attended proposals of 90 days, fetched or not, a third of it.
DROP TABLE IF EXISTS velocity;
CREATE TABLE velocity AS
SELECT space_id, SUM(CASE WHEN end_s > as_of_s - 90 * 86400 THEN attention ELSE 0 END) * 30 / 90 AS proposals_per_month
FROM attended
CROSS JOIN moment
GROUP BY space_id;

DROP TABLE IF EXISTS score;
CREATE TABLE score AS
SELECT published.*, completeness_pct, proposals_per_month, expected_heads, heads_mean, unclustered_mean, effective_proposers,
  100 * whales.value AS whale_control_pct,
  CASE WHEN gvs_raw > 10 THEN 10.0 ELSE gvs_raw END AS gvs,
  CASE WHEN base >= dominance AND base >= smallness THEN base WHEN dominance >= smallness THEN dominance ELSE smallness END AS risk
FROM (
  SELECT published.*, dominance, active_voters, batch_voting_pct,
    EXP(0.3 * LN(1 + hpr_after) + 0.3 * LN(1 + dei_after) + 0.2 * LN(1 + pdi_after) + 0.2 * LN(1 + gpi_after)) - 1 AS gvs_raw,
    100 - 10 * (0.2 * hpr_after + 0.45 * dei_after + 0.15 * pdi_after + 0.2 * gpi_after) AS base,
    50 * CASE WHEN active_voters <= 10 THEN 1.0 WHEN active_voters >= 20 THEN 0.0 ELSE (20 - active_voters) / 10.0 END AS smallness
  FROM published
  JOIN risk_floor ON risk_floor.space_id = published.space_id
) AS published
JOIN completeness ON completeness.space_id = published.space_id
JOIN velocity ON velocity.space_id = published.space_id
JOIN participation ON participation.space_id = published.space_id
LEFT JOIN proposers ON proposers.space_id = published.space_id
LEFT JOIN median AS whales ON whales.space_id = published.space_id AND whales.measure = 'whale_share';
