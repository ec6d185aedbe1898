-- Concentration of power on every member (methodology §3, §7): N_eff, K, s_1 and CR4, over human-equivalents.
DROP TABLE IF EXISTS concentration;
CREATE TABLE concentration AS
SELECT proposal_no, 1 / SUM(share * share) AS effective_voters,
  SUM(CASE WHEN COALESCE(larger, 0) <= 0.5 * (1 + 1e-9) THEN 1 ELSE 0 END) AS nakamoto,
  MAX(share) AS top_share,
  CASE WHEN SUM(CASE WHEN nth <= 4 THEN share ELSE 0 END) > 1 THEN 1 ELSE SUM(CASE WHEN nth <= 4 THEN share ELSE 0 END) END AS whale_share
FROM (
  SELECT proposal_no, share,
    SUM(share) OVER (PARTITION BY proposal_no ORDER BY share DESC, head_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS larger,
    ROW_NUMBER() OVER (PARTITION BY proposal_no ORDER BY share DESC, head_no) AS nth
  FROM head_share
  WHERE is_human = 1 AND share IS NOT NULL
) AS descending
GROUP BY proposal_no;
