-- Persons: how each took part in the version's frame, with the wallets of an entity merged.
-- Range: participation and power share 0..100 percent. Unit: persons by pseudonym.
-- Unknown: participation_pct NULL without known votes, power_share_pct NULL without known power, times NULL if no vote has one.
-- From: weighed, measured, moment, valid_vote, voter_share, vote, voter, proposal, version. Makes: person_participation.
-- The power share is the mean over the ballots with power, weighted by weight and fetched part. Absence counts as 0.
CREATE OR REPLACE TABLE attendance AS
SELECT DISTINCT proposal_no, entity_no FROM valid_vote;

CREATE OR REPLACE TABLE present AS
SELECT weighed.space_id, weighed.proposal_no, weighed.weight * votes_share AS known, CASE WHEN top_share IS NULL THEN 0.0 ELSE weighed.weight * fetched_share END AS of_power
FROM weighed
JOIN moment ON moment.moment_no = weighed.moment_no
JOIN measured ON measured.frame_no = weighed.frame_no AND measured.proposal_no = weighed.proposal_no
WHERE is_current = 1;

CREATE OR REPLACE TABLE took_part AS
SELECT present.space_id, attendance.entity_no, COUNT(*) AS proposals_voted, SUM(known) AS attended, SUM(of_power * COALESCE(share, 0.0)) AS held
FROM attendance
JOIN present ON present.proposal_no = attendance.proposal_no
LEFT JOIN voter_share ON voter_share.proposal_no = attendance.proposal_no AND voter_share.entity_no = attendance.entity_no
GROUP BY present.space_id, attendance.entity_no;

CREATE OR REPLACE TABLE vote_span AS
SELECT proposal.space_id, vote.entity_no, MIN(voted_ms) AS first_vote_ms, MAX(voted_ms) AS last_vote_ms
FROM vote
JOIN proposal ON proposal.proposal_no = vote.proposal_no
CROSS JOIN version
WHERE voted_ms <= as_of_ms
GROUP BY proposal.space_id, vote.entity_no;

CREATE OR REPLACE TABLE person_participation AS
WITH whole AS (SELECT space_id, SUM(known) AS known_sum, SUM(of_power) AS power_sum FROM present GROUP BY space_id)
SELECT took_part.space_id, voter.person_id, proposals_voted, 100 * attended / NULLIF(known_sum, 0) AS participation_pct,
  CASE WHEN power_sum > 0 THEN 100 * held / power_sum END AS power_share_pct, first_vote_ms, last_vote_ms
FROM took_part
JOIN whole ON whole.space_id = took_part.space_id
JOIN voter ON voter.voter_no = took_part.entity_no
LEFT JOIN vote_span ON vote_span.space_id = took_part.space_id AND vote_span.entity_no = took_part.entity_no;
