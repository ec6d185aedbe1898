-- Ranks: places of the DAOs that have a score, overall and within their category.
-- Range: from 1, no place is shared. Unit: places, by published numbers: gvs, then completeness, then space_id.
-- Gap: a DAO without a gvs has no place.
-- From: vitality, completeness, moment, space. Makes: ranking.
CREATE OR REPLACE TABLE ranking ENGINE = MergeTree ORDER BY tuple() AS
SELECT space_id, category, ROW_NUMBER() OVER (ORDER BY gvs DESC, completeness_pct DESC, space_id) AS rank, COUNT(*) OVER () AS total,
  ROW_NUMBER() OVER (PARTITION BY category ORDER BY gvs DESC, completeness_pct DESC, space_id) AS category_rank,
  COUNT(*) OVER (PARTITION BY category) AS category_total
FROM (
  SELECT vitality.space_id AS space_id, category, toFloat64(printf('%.2f', gvs)) AS gvs, toFloat64(printf('%.2f', completeness_pct)) AS completeness_pct
  FROM vitality
  JOIN moment ON moment.moment_no = vitality.moment_no
  JOIN completeness ON completeness.moment_no = vitality.moment_no AND completeness.space_id = vitality.space_id
  JOIN space ON space.space_id = vitality.space_id
  WHERE is_current = 1 AND gvs IS NOT NULL
) AS rounded;
