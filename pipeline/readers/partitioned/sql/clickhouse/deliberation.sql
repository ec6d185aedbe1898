-- Deliberation of one proposal, before marks and whatever the frame: link, voting period, review delay, top choice, reasons,
-- and the elapsed part of the vote when half of the power was in.
-- Range: has_discussion_link 0 or 1, days any, shares and elapsed_at_half_power 0..1. Unit: days, shares.
-- Gap: NULL each by itself: no field, a time that is not known (to the second, but for the period), shares that choices do not
-- tell, reasons under shielded voting, no power or no timed vote.
-- From: proposal, ballot, counted, choice_part, discussion_link. Makes: deliberated.
CREATE OR REPLACE TABLE deliberated ENGINE = MergeTree ORDER BY proposal_no AS
WITH option_share AS (
  SELECT counted.proposal_no AS proposal_no, choice_part.option_no AS option_no, SUM(counted.share * choice_part.part) AS share
  FROM counted
  JOIN proposal ON proposal.proposal_no = counted.proposal_no
  JOIN ballot ON ballot.proposal_no = counted.proposal_no
  JOIN choice_part ON choice_part.choice_no = counted.choice_no
  WHERE counted.share IS NOT NULL
    AND (proposal.voting_type IN ('basic', 'single-choice', 'weighted', 'quadratic')
      OR (proposal.voting_type IS NULL AND ballot.singles = ballot.counted_votes))
  GROUP BY counted.proposal_no, choice_part.option_no
),
top_choice AS (
  SELECT proposal_no, CASE WHEN SUM(share) > 0 THEN MAX(share) / SUM(share) END AS top_choice_share
  FROM option_share
  GROUP BY proposal_no
),
half_power AS (
  SELECT proposal_no, MIN(voted_ms) AS half_ms
  FROM (
    SELECT proposal_no, voted_ms, SUM(share) OVER (PARTITION BY proposal_no) AS total,
      SUM(share) OVER (PARTITION BY proposal_no ORDER BY voted_ms, share ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS reached
    FROM counted
    WHERE voted_ms IS NOT NULL AND share IS NOT NULL
  ) AS inflow
  WHERE reached >= total / 2 - total * 1e-12
  GROUP BY proposal_no
)
SELECT proposal.proposal_no AS proposal_no, discussion_link.is_link AS has_discussion_link,
  CASE WHEN start_precision = 'second' AND end_precision = 'second' THEN (end_ms - start_ms) / 86400000.0
    ELSE FLOOR(end_ms / 86400000.0) - FLOOR(start_ms / 86400000.0) END AS voting_period_days,
  CASE WHEN created_precision = 'second' AND start_precision = 'second' THEN (start_ms - created_ms) / 86400000.0 END AS review_delay_days,
  top_choice_share,
  CASE WHEN is_shutter = 0 AND counted_votes > 0 THEN reasons * 1.0 / counted_votes END AS rationale_share,
  CASE WHEN start_precision = 'second' AND end_precision = 'second' AND end_ms > start_ms AND half_ms IS NOT NULL
    THEN LEAST(1.0, GREATEST(0.0, (half_ms - start_ms) * 1.0 / (end_ms - start_ms))) END AS elapsed_at_half_power
FROM proposal
LEFT JOIN ballot ON ballot.proposal_no = proposal.proposal_no
LEFT JOIN top_choice ON top_choice.proposal_no = proposal.proposal_no
LEFT JOIN half_power ON half_power.proposal_no = proposal.proposal_no
LEFT JOIN discussion_link ON discussion_link.discussion = proposal.discussion;
