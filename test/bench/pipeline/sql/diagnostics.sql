-- What is reported of a member and never scored (methodology §3): Gini and Shannon entropy of the heads' shares. For the last day alone.
DROP TABLE IF EXISTS diagnosed;
CREATE TABLE diagnosed AS
SELECT measured.*, deliberation.value AS deliberation, gini, entropy_bits
FROM measured
LEFT JOIN deliberation ON deliberation.proposal_no = measured.proposal_no
LEFT JOIN (
  SELECT proposal_no, 2 * SUM(nth * share) / (COUNT(*) * SUM(share)) - (COUNT(*) + 1) * 1.0 / COUNT(*) AS gini,
    SUM(-share * LN(share)) / LN(2.0) AS entropy_bits
  FROM (
    SELECT proposal_no, share, ROW_NUMBER() OVER (PARTITION BY proposal_no ORDER BY share, head_no) AS nth
    FROM head_share
    WHERE is_human = 1 AND share > 0
  ) AS ascending
  GROUP BY proposal_no
) AS spread ON spread.proposal_no = measured.proposal_no;
