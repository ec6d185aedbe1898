-- Moments: when scores are computed for: the version's own moment, 24 hours before it, and the ends of the last days.
-- Range: one row for the version and one for each past moment. Unit: milliseconds since the epoch.
-- Unknown: none.
-- From: version, setting. Makes: moment.
-- Days end at 23:59:59.999 UTC. setting.history_days is the number of ended days to score: 30 suffice for every number of the
-- day, 365 give the whole published history as well.
CREATE OR REPLACE TABLE moment AS
WITH day_end AS (
  SELECT CAST(FLOOR((as_of_ms + 1) / 86400000.0) AS BIGINT) * 86400000 - 1 - days_ago * 86400000 AS at_ms
  FROM version
  CROSS JOIN (SELECT UNNEST(range(history_days)) AS days_ago FROM setting) AS days
),
wanted AS (
  SELECT as_of_ms AS at_ms, 0 AS is_past_day FROM version
  UNION
  SELECT as_of_ms - 86400000, 1 FROM version
  UNION
  SELECT at_ms, 1 FROM day_end
)
SELECT ROW_NUMBER() OVER (ORDER BY wanted.at_ms, is_past_day) AS moment_no, wanted.at_ms, is_past_day,
  CASE WHEN is_past_day = 0 THEN 1 ELSE 0 END AS is_current,
  CASE WHEN is_past_day = 1 AND wanted.at_ms = as_of_ms - 86400000 THEN 1 ELSE 0 END AS is_day_before,
  CASE WHEN is_past_day = 1 AND day_end.at_ms IS NOT NULL THEN 1 ELSE 0 END AS is_history_day
FROM wanted
CROSS JOIN version
LEFT JOIN day_end ON day_end.at_ms = wanted.at_ms;
