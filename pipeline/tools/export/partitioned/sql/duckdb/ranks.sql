-- Ranks: of scored DAOs, overall and within their category, and the ranks that intervals allow.
-- Range: from 1, without ties. Unit: ranks, by published numbers: gvs, then completeness, then space_id.
-- Unknown: an unscored DAO has no rank.
-- From: scored, completeness, moment, space. Makes: ranking.
CREATE OR REPLACE TABLE ranking AS
WITH placed AS (
  SELECT scored.space_id, category, ROUND(gvs, 2) AS gvs, ROUND(completeness_pct, 2) AS completeness_pct, gvs_low, gvs_high
  FROM scored
  JOIN moment ON moment.moment_no = scored.moment_no
  JOIN completeness ON completeness.moment_no = scored.moment_no AND completeness.space_id = scored.space_id
  JOIN space ON space.space_id = scored.space_id
  WHERE is_current = 1 AND unscored IS NULL
),
allowed AS (
  SELECT placed.space_id, 1 + SUM(CASE WHEN other.gvs_low > placed.gvs_high THEN 1 ELSE 0 END) AS best,
    SUM(CASE WHEN other.gvs_high < placed.gvs_low THEN 0 ELSE 1 END) AS worst
  FROM placed
  CROSS JOIN placed AS other
  GROUP BY placed.space_id
)
SELECT placed.space_id, category, ROW_NUMBER() OVER (ORDER BY gvs DESC, completeness_pct DESC, placed.space_id) AS rank, COUNT(*) OVER () AS total,
  ROW_NUMBER() OVER (PARTITION BY category ORDER BY gvs DESC, completeness_pct DESC, placed.space_id) AS category_rank,
  COUNT(*) OVER (PARTITION BY category) AS category_total, best, worst
FROM placed
JOIN allowed ON allowed.space_id = placed.space_id;
