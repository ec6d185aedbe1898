-- Governance Vitality Score (gvs): the shifted geometric mean of the four components, after thin evidence.
-- Range: 0..10 points, equal inputs return themselves, and a collapse in one cannot be bought back. Unit: points.
-- Gap: any component is one (COMPONENT_GAP), or nothing of the DAO can be scored (NOT_FETCHED, SPACE_FLAGGED, NO_PROPOSALS,
-- BALLOTS_MISSING).
-- From: frame_of, frame_sum, missing, space, hpr, dei, pdi, gpi. Makes: vitality (by moment and DAO: components before and
-- after, gvs, gaps).
-- Thin evidence can lower a score towards 5, never raise it.
CREATE OR REPLACE TABLE vitality ENGINE = MergeTree ORDER BY (space_id, moment_no) AS
SELECT *, CASE WHEN hpr IS NOT NULL AND dei IS NOT NULL AND pdi IS NOT NULL AND gpi IS NOT NULL
    THEN LEAST(10.0, EXP(0.3 * LN(1 + hpr) + 0.3 * LN(1 + dei) + 0.2 * LN(1 + pdi) + 0.2 * LN(1 + gpi)) - 1) END AS gvs,
  CASE WHEN nothing IS NOT NULL THEN nothing WHEN hpr IS NULL OR dei IS NULL OR pdi IS NULL OR gpi IS NULL THEN 'COMPONENT_GAP' END AS gvs_gap
FROM (
  SELECT moment_no, space_id, frame_no, nothing, members, attention_sum, effective_proposals, evidence_share, hpr_before, dei_before, pdi_before, gpi_before,
    hpr_before - (1 - evidence_share) * CASE WHEN hpr_before > 5 THEN hpr_before - 5 ELSE 0.0 END AS hpr,
    dei_before - (1 - evidence_share) * CASE WHEN dei_before > 5 THEN dei_before - 5 ELSE 0.0 END AS dei,
    pdi_before - (1 - evidence_share) * CASE WHEN pdi_before > 5 THEN pdi_before - 5 ELSE 0.0 END AS pdi,
    gpi_before - (1 - evidence_share) * CASE WHEN gpi_before > 5 THEN gpi_before - 5 ELSE 0.0 END AS gpi,
    COALESCE(nothing, hpr_gap) AS hpr_gap, COALESCE(nothing, dei_gap) AS dei_gap, COALESCE(nothing, pdi_gap) AS pdi_gap,
    COALESCE(nothing, gpi_gap) AS gpi_gap
  FROM (
    SELECT frame_of.moment_no AS moment_no, frame_of.space_id AS space_id, frame_of.frame_no AS frame_no,
      CASE WHEN space.is_fetched = 0 THEN 'NOT_FETCHED' WHEN space.is_flagged = 1 THEN 'SPACE_FLAGGED'
        WHEN frame_sum.members > 0 THEN NULL WHEN lost.missing > 0 THEN 'BALLOTS_MISSING'
        ELSE 'NO_PROPOSALS' END AS nothing,
      COALESCE(frame_sum.members, 0) AS members, COALESCE(frame_sum.attention_sum, 0.0) AS attention_sum,
      COALESCE(frame_sum.effective_proposals, 0.0) AS effective_proposals,
      LEAST(1.0, COALESCE(frame_sum.attention_sum, 0.0) / 20) AS evidence_share,
      CASE WHEN space.is_fetched > space.is_flagged THEN hpr.points END AS hpr_before, CASE WHEN space.is_fetched > space.is_flagged THEN dei.points END AS dei_before,
      CASE WHEN space.is_fetched > space.is_flagged THEN pdi.points END AS pdi_before, CASE WHEN space.is_fetched > space.is_flagged THEN gpi.points END AS gpi_before,
      hpr.gap AS hpr_gap, dei.gap AS dei_gap, pdi.gap AS pdi_gap, gpi.gap AS gpi_gap
    FROM frame_of
    JOIN space ON space.space_id = frame_of.space_id
    LEFT JOIN frame_sum ON frame_sum.frame_no = frame_of.frame_no
    LEFT JOIN (SELECT frame_no, COUNT(*) AS missing FROM missing GROUP BY frame_no) AS lost ON lost.frame_no = frame_of.frame_no
    LEFT JOIN hpr ON hpr.moment_no = frame_of.moment_no AND hpr.space_id = frame_of.space_id
    LEFT JOIN dei ON dei.moment_no = frame_of.moment_no AND dei.space_id = frame_of.space_id
    LEFT JOIN pdi ON pdi.moment_no = frame_of.moment_no AND pdi.space_id = frame_of.space_id
    LEFT JOIN gpi ON gpi.moment_no = frame_of.moment_no AND gpi.space_id = frame_of.space_id
  ) AS found
) AS discounted;
