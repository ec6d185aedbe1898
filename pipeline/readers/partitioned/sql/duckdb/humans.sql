-- Human-equivalents: wallets whose votes coincide in choice and minute far more often than independent votes would.
-- Range: links between voters, by a union bound at most 0.01 false ones are expected in a frame. Unit: pairs of wallets.
-- "Likely coordinated", never more than that.
-- Gap: is_assessed 0 with fewer than half of the frame's counted votes timed, or fewer than 3 proposals with timed votes:
-- nobody is linked, only entities are merged.
-- From: coincidence, member, ballot, timed, voter, electorate. Makes: assessed, human (frame_no, entity_no, human_no: of
-- linked entities alone), cluster_count.
CREATE OR REPLACE TABLE assessed AS
SELECT frame.frame_no,
  CASE WHEN SUM(CASE WHEN timed_votes > 0 THEN 1 ELSE 0 END) >= 3 AND SUM(timed_votes) >= SUM(counted_votes) * 0.5 THEN 1 ELSE 0 END AS is_assessed
FROM frame
LEFT JOIN member ON member.frame_no = frame.frame_no
LEFT JOIN ballot ON ballot.proposal_no = member.proposal_no
GROUP BY frame.frame_no;

-- Pairs with three coincidences in any way, and then in each frame.
CREATE OR REPLACE TABLE likely_coincidence AS
SELECT coincidence.*
FROM coincidence
JOIN (SELECT voter_no, partner_no FROM coincidence GROUP BY voter_no, partner_no HAVING COUNT(*) >= 3) AS likely
  ON likely.voter_no = coincidence.voter_no AND likely.partner_no = coincidence.partner_no;

CREATE OR REPLACE TABLE pair AS
SELECT member.frame_no, voter_no, partner_no, COUNT(*) AS coincidences, SUM(surprise) AS surprise
FROM likely_coincidence AS coincidence
JOIN member ON member.proposal_no = coincidence.proposal_no
JOIN assessed ON assessed.frame_no = member.frame_no
WHERE is_assessed = 1
GROUP BY member.frame_no, voter_no, partner_no
HAVING COUNT(*) >= 3;

CREATE OR REPLACE TABLE frame_voters AS
SELECT member.frame_no, LN(COUNT(DISTINCT voter_no) * (COUNT(DISTINCT voter_no) - 1.0) / 2) AS log_pairs
FROM member
JOIN timed ON timed.proposal_no = member.proposal_no
WHERE member.frame_no IN (SELECT frame_no FROM pair)
GROUP BY member.frame_no;

-- Whatever their common proposals: as many as their coincidences at least, which is the lowest that the bound can be.
CREATE OR REPLACE TABLE surprising_pair AS
SELECT pair.frame_no, voter_no, partner_no, coincidences, surprise, log_pairs
FROM pair
JOIN frame_voters ON frame_voters.frame_no = pair.frame_no
WHERE surprise > log_pairs + LN(coincidences) + LN(1 / 0.01) - 1e-6;

-- Their common proposals: those on which both have a timed vote.
CREATE OR REPLACE TABLE common_ballot AS
SELECT likely.voter_no, likely.partner_no, one.proposal_no
FROM (SELECT DISTINCT voter_no, partner_no FROM surprising_pair) AS likely
JOIN timed AS one ON one.voter_no = likely.voter_no
JOIN timed AS other ON other.voter_no = likely.partner_no AND other.proposal_no = one.proposal_no;

CREATE OR REPLACE TABLE common AS
SELECT surprising_pair.frame_no, surprising_pair.voter_no, surprising_pair.partner_no, coincidences, surprise, log_pairs, proposals
FROM surprising_pair
JOIN (
  SELECT frame_no, voter_no, partner_no, COUNT(*) AS proposals
  FROM common_ballot
  JOIN member ON member.proposal_no = common_ballot.proposal_no
  GROUP BY frame_no, voter_no, partner_no
) AS together ON together.frame_no = surprising_pair.frame_no AND together.voter_no = surprising_pair.voter_no
  AND together.partner_no = surprising_pair.partner_no;

-- ln k!
CREATE OR REPLACE TABLE log_factorial AS
SELECT k, SUM(LN(GREATEST(k, 1))) OVER (ORDER BY k ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS value
FROM (SELECT UNNEST(range(1 + (SELECT COALESCE(MAX(proposals), 0) FROM common))) AS k) AS whole;

-- Links by a union bound over pairs, subset sizes and subsets, as edges between entities, both ways and to itself.
CREATE OR REPLACE TABLE edge AS
WITH link AS (
  SELECT DISTINCT common.frame_no, one.entity_no, other.entity_no AS partner_no
  FROM common
  JOIN log_factorial AS of_all ON of_all.k = proposals
  JOIN log_factorial AS of_chosen ON of_chosen.k = coincidences
  JOIN log_factorial AS of_rest ON of_rest.k = proposals - coincidences
  JOIN voter AS one ON one.voter_no = common.voter_no
  JOIN voter AS other ON other.voter_no = common.partner_no
  WHERE coincidences >= proposals * 0.5
    AND surprise > log_pairs + of_all.value - of_chosen.value - of_rest.value + LN(proposals) + LN(1 / 0.01)
)
SELECT frame_no, entity_no, partner_no FROM link
UNION
SELECT frame_no, partner_no, entity_no FROM link
UNION
SELECT frame_no, entity_no, entity_no FROM link
UNION
SELECT frame_no, partner_no, partner_no FROM link;

-- Connected components: all of one name take the smallest name among their neighbours, until no step changes anything. Chains
-- of hundreds of wallets end after ten steps, where a wallet by itself would take as many as the chain is long.
CREATE OR REPLACE TABLE human AS
WITH RECURSIVE spread AS (
  SELECT DISTINCT frame_no, entity_no, entity_no AS human_no, CAST(1 AS HUGEINT) AS changes FROM edge
  UNION ALL
  SELECT frame_no, entity_no, human_no, SUM(CASE WHEN human_no < own_no THEN 1 ELSE 0 END) OVER () AS changes
  FROM (
    SELECT frame_no, entity_no, own_no, MIN(near_no) OVER (PARTITION BY frame_no, own_no) AS human_no
    FROM (
      SELECT edge.frame_no, edge.partner_no AS entity_no, MIN(human_no) AS near_no,
        MIN(CASE WHEN edge.partner_no = edge.entity_no THEN human_no END) AS own_no
      FROM spread
      JOIN edge ON edge.frame_no = spread.frame_no AND edge.entity_no = spread.entity_no
      WHERE changes > 0
      GROUP BY edge.frame_no, edge.partner_no
    ) AS met
  ) AS stepped
)
SELECT frame_no, entity_no, human_no FROM spread WHERE changes = 0;

CREATE OR REPLACE TABLE cluster_count AS
SELECT human.frame_no, COUNT(DISTINCT human_no) AS clusters, COUNT(*) AS clustered_wallets
FROM human
JOIN frame ON frame.frame_no = human.frame_no
JOIN electorate ON electorate.space_id = frame.space_id AND electorate.entity_no = human.entity_no
GROUP BY human.frame_no;
