-- Pairs of wallets that cast the same choice within a minute (methodology §2), by proposal. Made once; which of them are
-- looked at hangs on the frame.

-- Voters within a minute of each vote, itself not counted; more than 256 carry no evidence.
CREATE TABLE timed AS
SELECT proposal_no, voter_no, created_s, choice_no,
  CAST(FLOOR(created_s / 60.0) AS BIGINT) AS minute_no,
  COUNT(*) OVER (PARTITION BY proposal_no ORDER BY created_s RANGE BETWEEN 60 PRECEDING AND 60 FOLLOWING) - 1 AS near_voters,
  COUNT(*) OVER (PARTITION BY proposal_no) AS voters,
  COUNT(*) OVER (PARTITION BY proposal_no, choice_no) AS alike
FROM counted;

CREATE TABLE near_vote AS
SELECT * FROM timed WHERE near_voters BETWEEN 1 AND 256;

-- surprise: −ln(q_t · q_c), q_t by the fuller of the two windows. Votes a minute apart lie in the same or in neighbouring minutes.
CREATE TABLE coincidence AS
SELECT proposal_no, voter_no, partner_no,
  -LN(CASE WHEN near_voters > partner_near THEN near_voters ELSE partner_near END * 1.0 / (voters - 1))
  - LN(alike * 1.0 / voters) AS surprise
FROM (
  SELECT one.proposal_no, one.voters, one.alike, one.near_voters, other.near_voters AS partner_near,
    CASE WHEN one.voter_no < other.voter_no THEN one.voter_no ELSE other.voter_no END AS voter_no,
    CASE WHEN one.voter_no < other.voter_no THEN other.voter_no ELSE one.voter_no END AS partner_no
  FROM near_vote AS one
  JOIN near_vote AS other ON other.proposal_no = one.proposal_no AND other.choice_no = one.choice_no
    AND other.minute_no = one.minute_no AND other.voter_no > one.voter_no
  UNION ALL
  SELECT one.proposal_no, one.voters, one.alike, one.near_voters, other.near_voters,
    CASE WHEN one.voter_no < other.voter_no THEN one.voter_no ELSE other.voter_no END,
    CASE WHEN one.voter_no < other.voter_no THEN other.voter_no ELSE one.voter_no END
  FROM near_vote AS one
  JOIN near_vote AS other ON other.proposal_no = one.proposal_no AND other.choice_no = one.choice_no
    AND other.minute_no = one.minute_no + 1 AND other.created_s - one.created_s <= 60
) AS pairs;

-- ln k!
CREATE TABLE log_factorial AS
WITH RECURSIVE upward (k, value) AS (
  SELECT 0, CAST(0 AS DOUBLE)
  UNION ALL
  SELECT k + 1, value + LN(k + 1.0) FROM upward WHERE k < 2000
)
SELECT k, value FROM upward;
