-- Coincidences: pairs of wallets that made the same choice within a minute, and how surprising that is.
-- Range: surprise above 0. Unit: nats, −ln(q_t · q_c) of one pair on one proposal.
-- Gap: votes without a time to the second coincide with nothing, nor do votes in a window of more than 256 others.
-- From: counted, member. Makes: coincidence. Made once for all frames, of ballots and voters that a frame can link.
CREATE OR REPLACE TABLE timed ENGINE = MergeTree ORDER BY (proposal_no, choice_no) AS
SELECT proposal_no, voter_no, voted_ms, choice_no, CAST(FLOOR(voted_ms / 60000.0) AS BIGINT) AS minute_no,
  COUNT(*) OVER (PARTITION BY proposal_no ORDER BY voted_ms RANGE BETWEEN 60000 PRECEDING AND 60000 FOLLOWING) - 1 AS near_voters,
  COUNT(*) OVER (PARTITION BY proposal_no) AS voters,
  COUNT(*) OVER (PARTITION BY proposal_no, choice_no) AS alike
FROM counted
WHERE voted_ms IS NOT NULL AND proposal_no IN (SELECT proposal_no FROM member);

-- A pair needs three coincidences, so a voter of two proposals has no partner.
CREATE OR REPLACE TABLE near_vote ENGINE = MergeTree ORDER BY (proposal_no, choice_no) AS
SELECT timed.*
FROM timed
JOIN (SELECT voter_no FROM timed WHERE near_voters BETWEEN 1 AND 256 GROUP BY voter_no HAVING COUNT(*) >= 3) AS frequent
  ON frequent.voter_no = timed.voter_no
WHERE near_voters BETWEEN 1 AND 256;

-- Votes a minute apart lie in the same minute or in neighbouring ones. q_t is taken by the fuller of the two windows.
CREATE OR REPLACE TABLE coincidence ENGINE = MergeTree ORDER BY tuple() AS
SELECT proposal_no, LEAST(voter_no, partner_no) AS voter_no, GREATEST(voter_no, partner_no) AS partner_no,
  LN(voters - 1) - LN(GREATEST(near_voters, partner_near)) - LN(alike * 1.0 / voters) AS surprise
FROM (
  SELECT one.proposal_no AS proposal_no, one.voter_no AS voter_no, other.voter_no AS partner_no, one.voters AS voters, one.alike AS alike, one.near_voters AS near_voters, other.near_voters AS partner_near
  FROM near_vote AS one
  JOIN near_vote AS other ON other.proposal_no = one.proposal_no AND other.choice_no = one.choice_no AND other.minute_no = one.minute_no
  WHERE other.voter_no > one.voter_no
  UNION ALL
  SELECT one.proposal_no, one.voter_no, other.voter_no, one.voters, one.alike, one.near_voters, other.near_voters
  FROM near_vote AS one
  JOIN near_vote AS other ON other.proposal_no = one.proposal_no AND other.choice_no = one.choice_no AND other.minute_no = one.minute_no + 1
  WHERE other.voted_ms - one.voted_ms <= 60000
) AS pairs;
