-- Votes: the valid ones, and each voter's share of its ballot's power. The wallets of an entity are one voter.
-- Range: shares and capped shares 0..1, each sums to 1 over a ballot. Unit: parts of a ballot's power.
-- Unknown: votes of unknown power have no share. ballot.fetched_power is NULL if the power of a fetched vote is unknown.
-- From: vote, voter, choice_part. Makes: valid_vote, ballot, own_share (by wallet), voter_share (by entity), option_share.
-- A valid vote is within its window and has a readable choice and, if its power is known, some power.
CREATE OR REPLACE TABLE valid_vote AS
SELECT proposal_no, voter_no, entity_no, voted_ms, choice_no, choice_index, has_reason, power
FROM vote
WHERE is_outside_window = 0 AND is_unreadable = 0 AND (power IS NULL OR power > 0);

CREATE OR REPLACE TABLE ballot AS
SELECT fetched.proposal_no, fetched_votes, known_votes, CASE WHEN fetched_power <= 1.7976931348623157e308 THEN fetched_power END AS fetched_power,
  CASE WHEN valid_power <= 1.7976931348623157e308 THEN valid_power ELSE 0.0 END AS valid_power
FROM (
  SELECT proposal_no, COUNT(*) AS fetched_votes, COUNT(power) AS known_votes, CASE WHEN COUNT(*) = COUNT(power) THEN SUM(power) END AS fetched_power
  FROM vote
  GROUP BY proposal_no
) AS fetched
LEFT JOIN (SELECT proposal_no, SUM(power) AS valid_power FROM valid_vote GROUP BY proposal_no) AS valid ON valid.proposal_no = fetched.proposal_no;

CREATE OR REPLACE TABLE own_share AS
SELECT valid_vote.proposal_no, voter_no, entity_no, voted_ms, choice_no, choice_index, has_reason, power, power / valid_power AS share
FROM valid_vote
JOIN ballot ON ballot.proposal_no = valid_vote.proposal_no
WHERE power IS NOT NULL AND valid_power > 0;

-- An entity's choice is that of its largest vote, or of the first of equal ones.
CREATE OR REPLACE TABLE voter_share AS
SELECT proposal_no, entity_no, share, choice_index, LEAST(share, 0.01) / SUM(LEAST(share, 0.01)) OVER (PARTITION BY proposal_no) AS capped
FROM (
  SELECT proposal_no, entity_no, SUM(share) AS share, MAX(CASE WHEN nth = 1 THEN choice_index END) AS choice_index
  FROM (
    SELECT proposal_no, entity_no, share, choice_index,
      ROW_NUMBER() OVER (PARTITION BY proposal_no, entity_no ORDER BY power DESC, choice_index) AS nth
    FROM own_share
  ) AS ordered
  GROUP BY proposal_no, entity_no
) AS merged;

-- What the votes give to each option. Option 3 of a basic vote is to abstain, which is on no side.
CREATE OR REPLACE TABLE option_share AS
SELECT given.proposal_no, option_no, share, CASE WHEN COALESCE(voting_type, '') IN ('basic', 'fractional') AND option_no = 3 THEN 0 ELSE 1 END AS is_side
FROM (
  SELECT own_share.proposal_no, choice_part.option_no, SUM(own_share.share * choice_part.part) AS share
  FROM own_share
  JOIN choice_part ON choice_part.choice_no = own_share.choice_no
  GROUP BY own_share.proposal_no, choice_part.option_no
) AS given
JOIN proposal ON proposal.proposal_no = given.proposal_no;
