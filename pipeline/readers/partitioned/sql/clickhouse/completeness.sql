-- Data completeness: how much of what the source says exists did we see? Arithmetic against its own counts.
-- Range: 0..100 percent, its parts 0..1. Unit: proposals of the frame and those left out as BALLOT_MISSING, unweighted.
-- Gap: NULL where nothing can be counted, a part with nothing to count is left out.
-- From: frame_of, measured, missing, proposal, space, moment. Makes: completeness (by moment and DAO).
-- Of a frame's data the past days are as fresh as they will ever be, and so are archives.
CREATE OR REPLACE TABLE completeness ENGINE = MergeTree ORDER BY (space_id, moment_no) AS
WITH fields AS (
  SELECT proposal_no,
    (CASE WHEN author_person_id IS NULL THEN 0 ELSE 1 END + CASE WHEN created_ms IS NULL THEN 0 ELSE 1 END
    + CASE WHEN start_ms IS NULL THEN 0 ELSE 1 END + CASE WHEN end_ms IS NULL THEN 0 ELSE 1 END
    + CASE WHEN voting_type IS NULL THEN 0 ELSE 1 END + CASE WHEN choices_count IS NULL THEN 0 ELSE 1 END
    + CASE WHEN discussion IS NULL THEN 0 ELSE 1 END + CASE WHEN scores_total IS NULL THEN 0 ELSE 1 END
    + CASE WHEN votes_count IS NULL THEN 0 ELSE 1 END) AS fields_known
  FROM proposal
),
counted_in AS (
  SELECT frame_no, fields_known, final_votes, readable_votes, fetched_votes,
    CASE WHEN votes_count = 0 OR fetched_votes > votes_count THEN 1.0 ELSE fetched_votes * 1.0 / votes_count END AS votes,
    CASE WHEN ABS(fetched_power - scores_total) <= 0.01 * ABS(scores_total) THEN 1.0
      WHEN fetched_power IS NOT NULL AND scores_total IS NOT NULL THEN 0.0 END AS reconciled
  FROM measured
  JOIN fields ON fields.proposal_no = measured.proposal_no
  UNION ALL
  SELECT frame_no, fields_known, 0, 0, 0, 0.0, CASE WHEN scores_total IS NOT NULL THEN 0.0 END
  FROM missing
  JOIN fields ON fields.proposal_no = missing.proposal_no
  JOIN proposal ON proposal.proposal_no = missing.proposal_no
),
of_frame AS (
  SELECT frame_no, AVG(votes) AS votes, AVG(reconciled) AS reconciled,
    CASE WHEN SUM(fetched_votes) = 0 THEN 1.0 ELSE 0.5 + 0.5 * SUM(final_votes) / SUM(fetched_votes) END AS final_share,
    AVG(fields_known / 9.0) * CASE WHEN SUM(fetched_votes) = 0 THEN 1.0 ELSE SUM(readable_votes) * 1.0 / SUM(fetched_votes) END AS fields
  FROM counted_in
  GROUP BY frame_no
),
fresh AS (
  SELECT moment_no, space_id, CASE WHEN is_past_day = 1 OR is_archive = 1 THEN 1.0 WHEN last_complete_fetch_ms IS NULL THEN 0.0
    ELSE LEAST(1.0, GREATEST(0.0, (7 - (at_ms - last_complete_fetch_ms) / 86400000.0) / 6)) END AS freshness
  FROM moment
  CROSS JOIN space
)
SELECT frame_of.moment_no AS moment_no, frame_of.space_id AS space_id, votes, final_share, reconciled, fields, freshness,
  100 * (0.4 * COALESCE(votes, 0) + 0.2 * final_share + 0.15 * COALESCE(reconciled, 0) + 0.15 * fields + 0.1 * freshness)
    / (CASE WHEN votes IS NULL THEN 0.0 ELSE 0.4 END + 0.2 + CASE WHEN reconciled IS NULL THEN 0.0 ELSE 0.15 END + 0.15 + 0.1) AS completeness_pct
FROM frame_of
JOIN fresh ON fresh.moment_no = frame_of.moment_no AND fresh.space_id = frame_of.space_id
LEFT JOIN of_frame ON of_frame.frame_no = frame_of.frame_no;
