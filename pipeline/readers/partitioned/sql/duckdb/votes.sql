-- Votes that count: valid ones that are no dust, each with its share of its ballot's valid power.
-- Range: share 0..1, the shares of a ballot sum to 1 less the dust. Unit: votes, parts of a ballot's power.
-- Gap: share NULL where the power of any valid vote of the ballot is not known; ballot.fetched_power NULL where any fetched
-- one is not; ballot.reasons NULL where the source does not tell of all that count.
-- From: proposal, vote. Makes: counted, ballot (one row a fetched ballot, empty ones too).
-- A valid vote lies in its window, has a readable choice and, where its power is known, some.
CREATE OR REPLACE TABLE counted AS
SELECT proposal_no, voter_no, entity_no, voted_ms, choice_no, has_reason, share
FROM (
  SELECT proposal_no, voter_no, entity_no, voted_ms, choice_no, has_reason,
    CASE WHEN COUNT(*) OVER ballot = COUNT(power) OVER ballot AND SUM(power) OVER ballot > 0 AND SUM(power) OVER ballot <= 1.7976931348623157e308
      THEN power / SUM(power) OVER ballot END AS share
  FROM vote
  WHERE is_outside_window = 0 AND is_unreadable = 0 AND (power IS NULL OR power > 0)
  WINDOW ballot AS (PARTITION BY proposal_no)
) AS valid
WHERE share IS NULL OR share >= 2.5e-7;

CREATE OR REPLACE TABLE ballot AS
SELECT proposal.proposal_no, COALESCE(fetched_votes, 0) AS fetched_votes, COALESCE(readable_votes, 0) AS readable_votes,
  COALESCE(final_votes, 0) AS final_votes, CASE WHEN fetched_power <= 1.7976931348623157e308 THEN fetched_power END AS fetched_power,
  COALESCE(counted_votes, 0) AS counted_votes, COALESCE(timed_votes, 0) AS timed_votes,
  COALESCE(singles, 0) AS singles, COALESCE(powered_votes, 0) AS powered_votes, reasons
FROM proposal
LEFT JOIN (
  SELECT proposal_no, COUNT(*) AS fetched_votes, SUM(CASE WHEN is_unreadable = 1 THEN 0 ELSE 1 END) AS readable_votes,
    SUM(is_final) AS final_votes, CASE WHEN COUNT(*) = COUNT(power) THEN SUM(power) END AS fetched_power
  FROM vote
  GROUP BY proposal_no
) AS fetched ON fetched.proposal_no = proposal.proposal_no
LEFT JOIN (
  SELECT proposal_no, COUNT(*) AS counted_votes, COUNT(voted_ms) AS timed_votes, COUNT(share) AS powered_votes,
    SUM(CASE WHEN choice_kind = 'single' THEN 1 ELSE 0 END) AS singles,
    CASE WHEN COUNT(*) = COUNT(has_reason) THEN SUM(has_reason) END AS reasons
  FROM counted
  JOIN choice ON choice.choice_no = counted.choice_no
  GROUP BY proposal_no
) AS own ON own.proposal_no = proposal.proposal_no
WHERE proposal.is_ballot_fetched = 1;
