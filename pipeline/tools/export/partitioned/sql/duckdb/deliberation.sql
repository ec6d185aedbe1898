-- Deliberation of one proposal, independent of the frame: link, period, delay, dissent, reasons, votes not cast in a batch.
-- Range: 0..1 each. Unit: marks, and capped power for reasons and batches.
-- Unknown: each NULL separately: no field, an unknown time, choices without shares, shielded votes, no power.
-- From: proposal, ballot, own_share, voter_share, option_share, choice, discussion_link, batch_vote. Makes: deliberated.
-- A voter's capped share is divided among its wallets by power. Votes without a time or a reason are bounds.
CREATE OR REPLACE TABLE deliberated AS
WITH singles AS (
  SELECT proposal_no, MIN(CASE WHEN choice_kind = 'single' THEN 1 ELSE 0 END) AS are_single
  FROM own_share
  JOIN choice ON choice.choice_no = own_share.choice_no
  GROUP BY proposal_no
),
opposed AS (
  SELECT option_share.proposal_no,
    (SUM(CASE WHEN is_side = 1 THEN share ELSE 0.0 END) - MAX(CASE WHEN is_side = 1 THEN share ELSE 0.0 END)) / SUM(share) AS opposition
  FROM option_share
  JOIN proposal ON proposal.proposal_no = option_share.proposal_no
  JOIN singles ON singles.proposal_no = option_share.proposal_no
  WHERE proposal.voting_type IN ('basic', 'single-choice', 'weighted', 'quadratic', 'fractional') OR (proposal.voting_type IS NULL AND are_single = 1)
  GROUP BY option_share.proposal_no
  HAVING SUM(share) > 0
),
cast_power AS (
  SELECT own_share.proposal_no,
    SUM(CASE WHEN has_reason = 1 THEN capped * own_share.share / voter_share.share ELSE 0.0 END) AS reasoned,
    SUM(CASE WHEN has_reason IS NULL THEN capped * own_share.share / voter_share.share ELSE 0.0 END) AS untold,
    SUM(CASE WHEN is_batch = 1 THEN capped * own_share.share / voter_share.share ELSE 0.0 END) AS batched,
    SUM(CASE WHEN is_open = 1 THEN capped * own_share.share / voter_share.share ELSE 0.0 END) AS open_power,
    MIN(is_open) AS is_all_open
  FROM own_share
  JOIN voter_share ON voter_share.proposal_no = own_share.proposal_no AND voter_share.entity_no = own_share.entity_no
  JOIN batch_vote ON batch_vote.proposal_no = own_share.proposal_no AND batch_vote.voter_no = own_share.voter_no
  GROUP BY own_share.proposal_no
)
SELECT proposal.proposal_no, discussion_link.is_link AS discussion,
  CASE WHEN start_ms IS NOT NULL AND end_ms IS NOT NULL
    THEN LEAST(1.0, GREATEST(0.0, (CASE WHEN start_precision = 'second' AND end_precision = 'second' THEN (end_ms - start_ms) / 86400000.0
      ELSE FLOOR(end_ms / 86400000.0) - FLOOR(start_ms / 86400000.0) END - 1) / 6)) END AS period,
  CASE WHEN created_precision = 'second' AND start_precision = 'second'
    THEN LEAST(1.0, GREATEST(0.0, (start_ms - created_ms) / 86400000.0 / 2)) END AS delay,
  CASE WHEN opposition IS NOT NULL THEN LEAST(1.0, opposition / 0.25) END AS contested,
  CASE WHEN is_shutter = 0 AND reasoned IS NOT NULL THEN LEAST(1.0, reasoned / 0.1) END AS rationale_low,
  CASE WHEN is_shutter = 0 AND reasoned IS NOT NULL THEN LEAST(1.0, (reasoned + untold) / 0.1) END AS rationale_high,
  CASE WHEN is_all_open = 1 THEN 0.0 WHEN is_all_open = 0 THEN GREATEST(0.0, 1 - batched - open_power) END AS not_batch_low,
  CASE WHEN is_all_open IS NOT NULL THEN GREATEST(0.0, 1 - batched) END AS not_batch_high
FROM proposal
LEFT JOIN opposed ON opposed.proposal_no = proposal.proposal_no
LEFT JOIN cast_power ON cast_power.proposal_no = proposal.proposal_no
LEFT JOIN discussion_link ON discussion_link.discussion = proposal.discussion;
