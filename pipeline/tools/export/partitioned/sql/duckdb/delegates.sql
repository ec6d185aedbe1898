-- Delegates: ranks, shares, tiers and concentration of delegated power, from the latest complete listing.
-- Range: rank from 1, shares 0..100 percent, HHI 0..10,000 points, tier T1 (a hundredth of all power or more), T2 (a thousandth), T3.
-- Unit: tokens, delegators. Unknown: no rows without complete data, delegate_centralization unknown if the data are older than
-- 45 days or without a date.
-- From: delegates (the facts in it: votes and delegators), version, space. Makes: delegate_rank, delegate_summary.
CREATE OR REPLACE TABLE delegate_rank AS
SELECT space_id, address, votes, delegators_count, total, 100 * votes / total AS votes_share_pct,
  ROW_NUMBER() OVER (PARTITION BY space_id ORDER BY votes DESC, delegators_count DESC, address) AS rank,
  CASE WHEN votes * 100 >= total THEN 'T1' WHEN votes * 1000 >= total THEN 'T2' ELSE 'T3' END AS weight_tier, as_of_ms
FROM (
  SELECT space_id, address, votes_human AS votes, delegators_count, as_of_ms, SUM(votes_human) OVER (PARTITION BY space_id) AS total
  FROM read_parquet('delegates/*/*.parquet', hive_partitioning = false)
) AS listed
WHERE votes > 0;

CREATE OR REPLACE TABLE delegate_summary AS
SELECT space.space_id, total_delegates, total, hhi_points, as_of_ms, t1_voting_power_pct, t2_voting_power_pct, t3_voting_power_pct,
  t1_avg_delegators, t2_avg_delegators,
  CASE WHEN hhi_points IS NULL OR version_ms - as_of_ms < 0 OR version_ms - as_of_ms >= 45 * CAST(86400000 AS BIGINT) OR as_of_ms IS NULL THEN 'unknown'
    WHEN hhi_points < 1000 THEN 'low' WHEN hhi_points < 1800 THEN 'moderate' WHEN hhi_points < 2500 THEN 'high' ELSE 'critical' END AS delegate_centralization
FROM space
CROSS JOIN (SELECT as_of_ms AS version_ms FROM version) AS version
LEFT JOIN (
  SELECT space_id, COUNT(*) AS total_delegates, MAX(total) AS total, MAX(as_of_ms) AS as_of_ms,
    10000 * SUM((votes / total) * (votes / total)) AS hhi_points,
    SUM(CASE WHEN weight_tier = 'T1' THEN votes_share_pct ELSE 0.0 END) AS t1_voting_power_pct,
    SUM(CASE WHEN weight_tier = 'T2' THEN votes_share_pct ELSE 0.0 END) AS t2_voting_power_pct,
    SUM(CASE WHEN weight_tier = 'T3' THEN votes_share_pct ELSE 0.0 END) AS t3_voting_power_pct,
    COALESCE(AVG(CASE WHEN weight_tier = 'T1' THEN delegators_count END), 0.0) AS t1_avg_delegators,
    COALESCE(AVG(CASE WHEN weight_tier = 'T2' THEN delegators_count END), 0.0) AS t2_avg_delegators
  FROM delegate_rank
  GROUP BY space_id
) AS summed ON summed.space_id = space.space_id;
