-- Concentration of power on every member: effective voters, Nakamoto heads, top share and CR4, over human-equivalents.
-- Range: effective_voters and nakamoto from 1, shares 0..1. Unit: shares of one proposal's power.
-- Gap: no row where no power is known.
-- From: head_share. Makes: concentration.
CREATE OR REPLACE TABLE concentration AS
SELECT frame_no, proposal_no, 1 / SUM(share * share) AS effective_voters,
  SUM(CASE WHEN COALESCE(larger, 0) <= 0.5 * (1 + 1e-9) THEN 1 ELSE 0 END) AS nakamoto,
  MAX(share) AS top_share,
  LEAST(1.0, SUM(CASE WHEN nth <= 4 THEN share ELSE 0 END)) AS whale_share
FROM (
  SELECT frame_no, proposal_no, share,
    SUM(share) OVER (PARTITION BY frame_no, proposal_no ORDER BY share DESC, head_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS larger,
    ROW_NUMBER() OVER (PARTITION BY frame_no, proposal_no ORDER BY share DESC, head_no) AS nth
  FROM head_share
  WHERE is_human = 1 AND share IS NOT NULL
) AS descending
GROUP BY frame_no, proposal_no;
