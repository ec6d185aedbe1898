-- Decentralization Index (dei): who decides, judged by the power that was cast.
-- Range: 0..10 points, one voter 0, 200 equal voters 10. Unit: shares of one proposal's power per human-equivalent, weighted
-- medians over the frame.
-- Gap: no proposal of the frame has known power (POWER_UNKNOWN).
-- From: median, measured, frame_sum, frame_of. Makes: dominated (by frame), dei_row, dei.
CREATE OR REPLACE TABLE dominated AS
SELECT frame_no, SUM(CASE WHEN nakamoto = 1 THEN attention ELSE 0.0 END) / SUM(attention) AS dominated_share
FROM measured
WHERE nakamoto IS NOT NULL
GROUP BY frame_no;

CREATE OR REPLACE TABLE dei_row AS
SELECT moment_no, space_id, indicator, 'part' AS role, 1 / 3.0 AS weight, raw, position,
  CASE WHEN position > 1 THEN 1.0 WHEN position < 0 THEN 0.0 ELSE position END AS value,
  CASE WHEN position IS NULL THEN 0.0 ELSE 1 / 3.0 END AS effective_weight
FROM frame_of
JOIN (
  SELECT frame_sum.frame_no, 'effective_voters' AS indicator, value AS raw, LN(value) / LN(50.0) AS position
  FROM frame_sum LEFT JOIN median ON median.frame_no = frame_sum.frame_no AND measure = 'effective_voters'
  UNION ALL
  SELECT frame_sum.frame_no, 'nakamoto', value, LN(value) / LN(25.0)
  FROM frame_sum LEFT JOIN median ON median.frame_no = frame_sum.frame_no AND measure = 'nakamoto'
  UNION ALL
  SELECT frame_sum.frame_no, 'top_share', value, 1 - (value - 0.05) / 0.45
  FROM frame_sum LEFT JOIN median ON median.frame_no = frame_sum.frame_no AND measure = 'top_share'
) AS goalposts ON goalposts.frame_no = frame_of.frame_no;

CREATE OR REPLACE TABLE dei AS
SELECT moment_no, space_id, CASE WHEN COUNT(value) = 3 THEN 10 * SUM(value) / 3 END AS points,
  CASE WHEN COUNT(value) < 3 THEN 'POWER_UNKNOWN' END AS gap
FROM dei_row
GROUP BY moment_no, space_id;
