-- What one closed proposal says about deliberation (methodology §4), before marks and whatever the frame. Made once.

-- Contestedness: share of the top choice; choices that do not say how they share power are a gap.
CREATE TABLE option_share AS
SELECT counted.proposal_no, choice_part.option_no, SUM(counted.share * choice_part.part) AS share
FROM counted
JOIN numbered ON numbered.proposal_no = counted.proposal_no
JOIN choice_part ON choice_part.choice_no = counted.choice_no
WHERE numbered.voting_type IN ('basic', 'single-choice', 'weighted', 'quadratic')
GROUP BY counted.proposal_no, choice_part.option_no;

-- Half-power time: the second in which half of the final power was in.
CREATE TABLE half_power AS
SELECT proposal_no, MIN(created_s) AS half_s
FROM (
  SELECT proposal_no, created_s, SUM(share) OVER (PARTITION BY proposal_no) AS total,
    SUM(share) OVER (PARTITION BY proposal_no ORDER BY created_s, share ROWS UNBOUNDED PRECEDING) AS reached
  FROM counted
) AS inflow
WHERE reached >= total / 2 - total * 1e-12
GROUP BY proposal_no;

CREATE TABLE deliberated AS
SELECT numbered.proposal_no,
  CASE WHEN discussion IS NULL THEN NULL WHEN discussion LIKE 'http://_%' OR discussion LIKE 'https://_%' THEN 1 ELSE 0 END AS has_discussion_link,
  (end_s - start_s) / 86400.0 AS voting_period_days,
  (start_s - created_s) / 86400.0 AS review_delay_days,
  top.top_choice_share,
  CASE WHEN is_shutter = 0 AND counted_votes > 0 THEN reasons * 1.0 / counted_votes END AS rationale_share,
  CASE WHEN end_s > start_s THEN (half_s - start_s) * 1.0 / (end_s - start_s) END AS elapsed_at_half_power
FROM numbered
LEFT JOIN ballot ON ballot.proposal_no = numbered.proposal_no
LEFT JOIN half_power ON half_power.proposal_no = numbered.proposal_no
LEFT JOIN (
  SELECT proposal_no, MAX(share) / SUM(share) AS top_choice_share FROM option_share GROUP BY proposal_no
) AS top ON top.proposal_no = numbered.proposal_no;
