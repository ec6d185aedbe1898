-- Likely coordinated wallets in every frame (methodology §2). Made for each day; then spread.sql until nothing changes.

-- Coincidences of a pair on the frame's ballots: j and S.
DROP TABLE IF EXISTS pair;
CREATE TABLE pair AS
SELECT member.space_id, voter_no, partner_no, COUNT(*) AS coincidences, SUM(surprise) AS surprise
FROM coincidence
JOIN member ON member.proposal_no = coincidence.proposal_no
GROUP BY member.space_id, voter_no, partner_no
HAVING COUNT(*) >= 3;

-- Their common proposals: m.
DROP TABLE IF EXISTS common;
CREATE TABLE common AS
SELECT pair.space_id, pair.voter_no, pair.partner_no, pair.coincidences, pair.surprise, COUNT(*) AS proposals
FROM pair
JOIN member ON member.space_id = pair.space_id
JOIN counted AS one ON one.proposal_no = member.proposal_no AND one.voter_no = pair.voter_no
JOIN counted AS other ON other.proposal_no = member.proposal_no AND other.voter_no = pair.partner_no
GROUP BY pair.space_id, pair.voter_no, pair.partner_no, pair.coincidences, pair.surprise;

-- Voters of a frame: N; only where there is a pair to test and three proposals.
DROP TABLE IF EXISTS frame_voters;
CREATE TABLE frame_voters AS
SELECT member.space_id, COUNT(DISTINCT voter_no) AS voters
FROM member
JOIN frame ON frame.space_id = member.space_id AND frame.members >= 3
JOIN counted ON counted.proposal_no = member.proposal_no
WHERE member.space_id IN (SELECT space_id FROM pair)
GROUP BY member.space_id;

-- Links, by a union bound over pairs, subset sizes and subsets. An entity is one wallet here: its wallets are merged anyway.
DROP TABLE IF EXISTS link;
CREATE TABLE link AS
SELECT DISTINCT common.space_id, one.entity_no AS entity_no, other.entity_no AS partner_no
FROM common
JOIN frame_voters ON frame_voters.space_id = common.space_id
JOIN log_factorial AS of_all ON of_all.k = proposals
JOIN log_factorial AS of_chosen ON of_chosen.k = coincidences
JOIN log_factorial AS of_rest ON of_rest.k = proposals - coincidences
JOIN voter AS one ON one.voter_no = common.voter_no
JOIN voter AS other ON other.voter_no = common.partner_no
WHERE coincidences >= proposals * 0.5
  AND surprise > LN(voters * (voters - 1.0) / 2) + of_all.value - of_chosen.value - of_rest.value
    + LN(proposals * 1.0) + LN(1 / 0.01);

DROP TABLE IF EXISTS edge;
CREATE TABLE edge AS
SELECT space_id, entity_no, partner_no FROM link
UNION ALL
SELECT space_id, partner_no, entity_no FROM link;

-- The human of every linked entity: itself at first.
DROP TABLE IF EXISTS human;
CREATE TABLE human AS SELECT DISTINCT space_id, entity_no, entity_no AS human_no FROM edge;
