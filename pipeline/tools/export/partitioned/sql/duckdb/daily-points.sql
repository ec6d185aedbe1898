-- Daily points: the scores at the end of a day, the change in 24 hours, and the trend of the risk.
-- Range: points 0..10, risk and completeness 0..100, trend improving, stable or declining (by 2 risk points over 30 days).
-- Unit: points, risk points over 30 days by the Theil–Sen slope, the median of all pairwise slopes.
-- Unknown: a day without a score has no point, a risk with fewer than 14 points is stable, a missing gvs changed by 0.
-- From: moment, scored, risk, completeness, space. Makes: daily_point, gvs_change, trend.
CREATE OR REPLACE TABLE daily_point AS
SELECT moment.moment_no, moment.at_ms, scored.space_id, gvs, hpr, dei, pdi, gpi, risk.point AS risk_score, completeness_pct, index_weight,
  is_history_day
FROM scored
JOIN moment ON moment.moment_no = scored.moment_no
JOIN completeness ON completeness.moment_no = scored.moment_no AND completeness.space_id = scored.space_id
LEFT JOIN risk ON risk.moment_no = scored.moment_no AND risk.space_id = scored.space_id
WHERE moment.is_past_day = 1 AND unscored IS NULL AND (moment.at_ms + 1) % 86400000 = 0;

CREATE OR REPLACE TABLE gvs_change AS
SELECT today.space_id, COALESCE(today.gvs - before.gvs, 0.0) AS delta_24h
FROM scored AS today
JOIN moment ON moment.moment_no = today.moment_no AND is_current = 1
LEFT JOIN (
  SELECT space_id, gvs FROM scored JOIN moment ON moment.moment_no = scored.moment_no WHERE is_day_before = 1 AND unscored IS NULL
) AS before ON before.space_id = today.space_id
WHERE today.unscored IS NULL;

CREATE OR REPLACE TABLE trend AS
WITH recent AS (
  SELECT space_id, FLOOR(daily_point.at_ms / 86400000.0) AS day_no, risk_score
  FROM daily_point
  CROSS JOIN version
  WHERE risk_score IS NOT NULL AND daily_point.at_ms <= as_of_ms
    AND daily_point.at_ms > CAST(FLOOR((as_of_ms + 1) / 86400000.0) AS BIGINT) * 86400000 - 1 - 30 * CAST(86400000 AS BIGINT)
),
slope AS (
  SELECT one.space_id, (other.risk_score - one.risk_score) / (other.day_no - one.day_no) AS slope
  FROM recent AS one
  JOIN recent AS other ON other.space_id = one.space_id
  WHERE other.day_no > one.day_no
),
middle AS (
  SELECT space_id, AVG(slope) AS slope
  FROM (
    SELECT space_id, slope, ROW_NUMBER() OVER (PARTITION BY space_id ORDER BY slope) AS nth, COUNT(*) OVER (PARTITION BY space_id) AS slopes FROM slope
  ) AS ordered
  WHERE nth BETWEEN slopes / 2.0 AND slopes / 2.0 + 1
  GROUP BY space_id
)
SELECT space.space_id, middle.slope * 30 AS change_30d,
  CASE WHEN COALESCE(points, 0) < 14 THEN 'stable' WHEN middle.slope * 30 <= -2 THEN 'improving' WHEN middle.slope * 30 >= 2 THEN 'declining' ELSE 'stable' END AS trend
FROM space
LEFT JOIN (SELECT space_id, COUNT(*) AS points FROM recent GROUP BY space_id) AS known ON known.space_id = space.space_id
LEFT JOIN middle ON middle.space_id = space.space_id;
