-- Proposal Deliberation Index (pdi): is there time, reason and room to disagree?
-- Range: 0..10 points. Unit: proposals, a mean over the frame, each weighted by attention.
-- Gap: no proposal has half of the indicators' weight (DELIBERATION_UNKNOWN). Single gaps drop out and the rest is renormalised.
-- From: measured, frame_sum, frame_of. Makes: mark (seven a member), deliberation (of one member, 0..1), pdi_row, pdi.
CREATE OR REPLACE TABLE mark AS
SELECT frame_no, proposal_no, attention, indicator, weight, raw, position,
  CASE WHEN position > 1 THEN 1.0 WHEN position < 0 THEN 0.0 ELSE position END AS value
FROM (
  SELECT frame_no, proposal_no, attention, 'discussion' AS indicator, 0.2 AS weight, has_discussion_link * 1.0 AS raw, has_discussion_link * 1.0 AS position FROM measured
  UNION ALL SELECT frame_no, proposal_no, attention, 'voting_period', 0.2, voting_period_days, (voting_period_days - 1) / 6 FROM measured
  UNION ALL SELECT frame_no, proposal_no, attention, 'review_delay', 0.1, review_delay_days, review_delay_days / 2 FROM measured
  UNION ALL SELECT frame_no, proposal_no, attention, 'contestedness', 0.15, top_choice_share, (1 - top_choice_share) / 0.25 FROM measured
  UNION ALL SELECT frame_no, proposal_no, attention, 'rationale', 0.1, rationale_share, rationale_share / 0.1 FROM measured
  UNION ALL SELECT frame_no, proposal_no, attention, 'half_power_time', 0.1, elapsed_at_half_power, 4 * elapsed_at_half_power * (1 - elapsed_at_half_power) FROM measured
  UNION ALL SELECT frame_no, proposal_no, attention, 'not_batch', 0.15, CASE WHEN overlapping_votes > 0 THEN 1 - batch_votes * 1.0 / overlapping_votes END,
    CASE WHEN overlapping_votes > 0 THEN 1 - batch_votes * 1.0 / overlapping_votes END FROM measured
) AS goalposts;

CREATE OR REPLACE TABLE deliberation AS
SELECT frame_no, proposal_no, attention, SUM(weight * value) / SUM(CASE WHEN value IS NOT NULL THEN weight END) AS value,
  SUM(CASE WHEN value IS NOT NULL THEN weight END) AS present
FROM mark
GROUP BY frame_no, proposal_no, attention
HAVING SUM(CASE WHEN value IS NOT NULL THEN weight ELSE 0.0 END) >= 0.5 - 1e-9;

-- Means of what is known, by effective weights, so that the rows add up to the index.
CREATE OR REPLACE TABLE pdi_row AS
SELECT moment_no, space_id, indicator, 'part' AS role, weight, raw, position, value, effective_weight
FROM frame_of
JOIN (
  SELECT mark.frame_no, mark.indicator, mark.weight,
    SUM(mark.raw * deliberation.attention * mark.weight / present) / SUM(CASE WHEN mark.value IS NOT NULL THEN deliberation.attention * mark.weight / present END) AS raw,
    SUM(mark.position * deliberation.attention * mark.weight / present) / SUM(CASE WHEN mark.value IS NOT NULL THEN deliberation.attention * mark.weight / present END) AS position,
    SUM(mark.value * deliberation.attention * mark.weight / present) / SUM(CASE WHEN mark.value IS NOT NULL THEN deliberation.attention * mark.weight / present END) AS value,
    COALESCE(SUM(CASE WHEN mark.value IS NOT NULL THEN deliberation.attention * mark.weight / present END) / SUM(deliberation.attention), 0.0) AS effective_weight
  FROM mark
  LEFT JOIN deliberation ON deliberation.frame_no = mark.frame_no AND deliberation.proposal_no = mark.proposal_no
  GROUP BY mark.frame_no, mark.indicator, mark.weight
) AS means ON means.frame_no = frame_of.frame_no;

CREATE OR REPLACE TABLE pdi AS
SELECT moment_no, space_id, 10 * value AS points, CASE WHEN value IS NULL THEN 'DELIBERATION_UNKNOWN' END AS gap
FROM frame_of
JOIN frame_sum ON frame_sum.frame_no = frame_of.frame_no
LEFT JOIN (
  SELECT frame_no, SUM(attention * value) / SUM(attention) AS value FROM deliberation GROUP BY frame_no
) AS means ON means.frame_no = frame_of.frame_no;
