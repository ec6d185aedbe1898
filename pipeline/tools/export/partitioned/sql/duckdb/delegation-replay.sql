-- Delegation replayed: each account's delegated power and number of delegators, from the logs of a token only.
-- Range: votes from 0, delegators from 0. Unit: the token's smallest unit, accounts that hold a balance.
-- Unknown: no rows without logs, or, in DuckDB, if a number has more than 34 digits, as sums may not fit. Logs without block times are replayed completely, whatever the moment.
-- From: delegation_events, space, version. Makes: replayed_delegate (by DAO and pseudonym), replayed_listing (by DAO).
-- Power is the value of the last votes-changed event. Delegators are counted from balances, because a transfer moves power
-- without a delegation event. Whole numbers are exact, in ClickHouse up to 76 digits.
CREATE OR REPLACE TABLE delegation_event AS
SELECT DISTINCT ON (event.space_id, block_number, log_index) event.space_id AS space_id, block_number, log_index, block_time_ms, kind, delegator_id,
  delegate_id, from_id, to_id, CAST(after_votes AS HUGEINT) AS after_votes, CAST(amount AS HUGEINT) AS amount
FROM read_parquet('delegation_events/*/*.parquet', hive_partitioning = false) AS event
JOIN (
  SELECT space_id, COUNT(*) - COUNT(block_time_ms) AS untimed
  FROM read_parquet('delegation_events/*/*.parquet', hive_partitioning = false)
  GROUP BY space_id
  HAVING COALESCE(MAX(GREATEST(LENGTH(after_votes), LENGTH(amount))), 0) <= 34
) AS known ON known.space_id = event.space_id
CROSS JOIN version
WHERE untimed > 0 OR block_time_ms <= as_of_ms;

CREATE OR REPLACE TABLE replayed_delegate AS
WITH power AS (
  SELECT space_id, delegate_id, after_votes AS votes
  FROM (
    SELECT space_id, delegate_id, after_votes, ROW_NUMBER() OVER (PARTITION BY space_id, delegate_id ORDER BY block_number DESC, log_index DESC) AS nth
    FROM delegation_event
    WHERE kind = 'votes-changed'
  ) AS ordered
  WHERE nth = 1
),
chosen AS (
  SELECT space_id, delegator_id, to_id
  FROM (
    SELECT space_id, delegator_id, to_id, ROW_NUMBER() OVER (PARTITION BY space_id, delegator_id ORDER BY block_number DESC, log_index DESC) AS nth
    FROM delegation_event
    WHERE kind = 'delegate-changed'
  ) AS ordered
  WHERE nth = 1
),
balance AS (
  SELECT space_id, account_id, SUM(amount) AS balance
  FROM (
    SELECT space_id, to_id AS account_id, amount FROM delegation_event WHERE kind = 'transfer' AND to_id IS NOT NULL
    UNION ALL
    SELECT space_id, from_id, -amount FROM delegation_event WHERE kind = 'transfer' AND from_id IS NOT NULL
  ) AS moved
  GROUP BY space_id, account_id
),
counted_for AS (
  SELECT balance.space_id, COALESCE(to_id, CASE WHEN is_self_by_default = 1 THEN account_id END) AS delegate_id
  FROM balance
  JOIN space ON space.space_id = balance.space_id
  LEFT JOIN chosen ON chosen.space_id = balance.space_id AND chosen.delegator_id = balance.account_id
  WHERE balance > 0
)
SELECT power.space_id, power.delegate_id, votes, COALESCE(delegators_count, 0) AS delegators_count
FROM power
LEFT JOIN (
  SELECT space_id, delegate_id, COUNT(*) AS delegators_count FROM counted_for WHERE delegate_id IS NOT NULL GROUP BY space_id, delegate_id
) AS delegators ON delegators.space_id = power.space_id AND delegators.delegate_id = power.delegate_id
WHERE votes > 0;

CREATE OR REPLACE TABLE replayed_listing AS
SELECT replayed_delegate.space_id, COUNT(*) AS total_delegates, MAX(total) AS total, SUM(delegators_count) AS delegators,
  10000 * SUM((CAST(votes AS DOUBLE) / CAST(total AS DOUBLE)) * (CAST(votes AS DOUBLE) / CAST(total AS DOUBLE))) AS hhi_points
FROM replayed_delegate
JOIN (SELECT space_id, SUM(votes) AS total FROM replayed_delegate GROUP BY space_id) AS summed ON summed.space_id = replayed_delegate.space_id
GROUP BY replayed_delegate.space_id;
