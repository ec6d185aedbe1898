-- Human Participation Rate (hpr): do many people come, do the same ones come again, and do they still?
-- Range: 0..10 points, higher is better. Unit: human-equivalents: a wallet, an entity, or a cluster of likely coordinated
-- wallets, by its weight g.
-- Gap: nobody voted in the frame. Where coordination could not be assessed the score is at most 5.
-- From: frame_of, frame_sum, measured, assessed, heads_of, median, attended. Makes: participation (by frame), presence (by moment
-- and DAO), hpr_row (its indicators), hpr.
CREATE OR REPLACE TABLE participation AS
SELECT frame_no, is_assessed, expected_heads, heads_mean, unclustered_mean,
  CASE WHEN is_assessed = 1 AND heads_mean <> 0 AND unclustered_mean <> 0 THEN heads_mean / unclustered_mean END AS independence,
  CASE WHEN heads_mean <> 0 AND unclustered_mean <> 0 AND effective_proposals >= 1 + 1e-9 AND expected_heads <> 0
    THEN (heads_mean / expected_heads - nobody_twice) / (1 - nobody_twice) END AS returning_share,
  breadth_heads
FROM (
  SELECT frame_sum.frame_no, is_assessed, effective_proposals, expected_heads, heads_mean, unclustered_mean, median.value AS breadth_heads,
    1 / (effective_proposals * (1 - POWER(1 - 1 / effective_proposals, 5))) AS nobody_twice
  FROM frame_sum
  JOIN (
    SELECT frame_no, SUM(attention * heads) / SUM(attention) AS heads_mean,
      SUM(attention * unclustered_heads) / SUM(attention) AS unclustered_mean
    FROM measured
    GROUP BY frame_no
  ) AS means ON means.frame_no = frame_sum.frame_no
  JOIN assessed ON assessed.frame_no = frame_sum.frame_no
  JOIN heads_of ON heads_of.frame_no = frame_sum.frame_no
  JOIN median ON median.frame_no = frame_sum.frame_no AND measure = 'heads'
) AS found;

-- Presence fades to 0 as the last, and the last but one, attended proposal lies further back, fetched or not.
CREATE OR REPLACE TABLE presence AS
SELECT moment_no, space_id, SUM(CASE WHEN faded > 1 THEN 1.0 WHEN faded < 0 THEN 0.0 ELSE faded END) / 2 AS presence
FROM (
  SELECT frame_of.moment_no, frame_of.space_id, (180 - (frame_of.at_ms - end_ms) / 86400000.0) / 60 AS faded,
    ROW_NUMBER() OVER (PARTITION BY frame_of.moment_no, frame_of.space_id ORDER BY proposal_no DESC) AS nth
  FROM frame_of
  JOIN attended ON attended.frame_no = frame_of.frame_no
) AS ended
WHERE nth <= 2
GROUP BY moment_no, space_id;

CREATE OR REPLACE TABLE hpr_row AS
SELECT moment_no, space_id, indicator, role, weight, raw, position,
  CASE WHEN position > 1 THEN 1.0 WHEN position < 0 THEN 0.0 ELSE position END AS value, weight AS effective_weight
FROM (
  SELECT moment_no, space_id, 'independence' AS indicator, 'factor' AS role, 1.0 AS weight, independence AS raw, COALESCE(independence, 1.0) AS position
  FROM frame_of JOIN participation ON participation.frame_no = frame_of.frame_no
  UNION ALL
  SELECT moment_no, space_id, 'presence', 'factor', 1.0, presence, presence FROM presence
  UNION ALL
  SELECT moment_no, space_id, 'loyalty', 'part', 0.5, returning_share, COALESCE(returning_share, 0) / 0.4
  FROM frame_of JOIN participation ON participation.frame_no = frame_of.frame_no
  UNION ALL
  SELECT moment_no, space_id, 'breadth', 'part', 0.5, breadth_heads, (LN(GREATEST(breadth_heads, 1.0)) - LN(5.0)) / (LN(1000.0) - LN(5.0))
  FROM frame_of JOIN participation ON participation.frame_no = frame_of.frame_no
) AS goalposts;

CREATE OR REPLACE TABLE hpr AS
SELECT frame_of.moment_no, frame_of.space_id,
  CASE WHEN heads_mean = 0 OR unclustered_mean = 0 THEN NULL WHEN is_assessed = 0 AND raw > 5 THEN 5.0 ELSE raw END AS points,
  CASE WHEN heads_mean = 0 OR unclustered_mean = 0 THEN 'NO_VOTERS' END AS gap
FROM frame_of
JOIN participation ON participation.frame_no = frame_of.frame_no
JOIN (
  SELECT moment_no, space_id, 10 * MAX(CASE WHEN indicator = 'independence' THEN value END) * MAX(CASE WHEN indicator = 'presence' THEN value END)
    * (MAX(CASE WHEN indicator = 'loyalty' THEN value END) + MAX(CASE WHEN indicator = 'breadth' THEN value END)) / 2 AS raw
  FROM hpr_row
  GROUP BY moment_no, space_id
) AS marked ON marked.moment_no = frame_of.moment_no AND marked.space_id = frame_of.space_id;
