-- What never changes once a proposal is closed: its votes that count, numbered and as shares (methodology §1). Made once.
-- From: proposal, vote, wallet, choice_form (see schema.sql and the choices-*.sql of each dialect).

-- Proposals by (space, end, id): a larger number ended later.
CREATE TABLE numbered AS
SELECT ROW_NUMBER() OVER (ORDER BY space_id, end_s, proposal_id) AS proposal_no, proposal.*
FROM proposal;

-- Wallets, and the smallest of each entity: an entity is one head.
CREATE TABLE voter AS
SELECT voter_no, address, MIN(voter_no) OVER (PARTITION BY COALESCE(entity_id, address)) AS entity_no
FROM (
  SELECT ROW_NUMBER() OVER (ORDER BY address) AS voter_no, address, entity_id
  FROM (SELECT DISTINCT voter AS address FROM vote) AS addresses
  LEFT JOIN wallet ON wallet.voter = addresses.address
) AS merged;

-- One vote per voter and proposal: the last by (created, id).
CREATE TABLE last_vote AS
SELECT numbered.proposal_no, voter.voter_no, voter.entity_no, latest.created_s, latest.power, latest.has_reason, latest.is_final,
  choice_form.choice_no, choice_form.is_readable,
  CASE WHEN choice_form.is_readable = 1 AND latest.created_s BETWEEN numbered.start_s AND numbered.end_s
    AND (latest.power IS NULL OR latest.power > 0) THEN 1 ELSE 0 END AS is_valid
FROM (
  SELECT vote.*, ROW_NUMBER() OVER (PARTITION BY proposal_id, voter ORDER BY created_s DESC, vote_id DESC) AS nth
  FROM vote
) AS latest
JOIN numbered ON numbered.proposal_id = latest.proposal_id
JOIN voter ON voter.address = latest.voter
JOIN choice_form ON choice_form.choice = latest.choice AND choice_form.voting_type = numbered.voting_type
  AND choice_form.choices_count = numbered.choices_count
WHERE latest.nth = 1;

-- Valid votes that are no dust, each with its share of the ballot's valid power.
CREATE TABLE counted AS
SELECT proposal_no, voter_no, entity_no, created_s, choice_no, has_reason, share
FROM (
  SELECT last_vote.*,
    CASE WHEN COUNT(*) OVER ballot = COUNT(power) OVER ballot AND SUM(power) OVER ballot > 0
      THEN power / SUM(power) OVER ballot END AS share
  FROM last_vote
  WHERE is_valid = 1
  WINDOW ballot AS (PARTITION BY proposal_no)
) AS shared
WHERE share IS NULL OR share >= 2.5e-7;

-- What completeness counts: every fetched vote, valid or not.
CREATE TABLE ballot AS
SELECT fetched.*, COALESCE(own.counted_votes, 0) AS counted_votes, own.reasons
FROM (
  SELECT proposal_no, COUNT(*) AS fetched_votes, SUM(is_readable) AS readable_votes, SUM(is_final) AS final_votes,
    CASE WHEN COUNT(*) = COUNT(power) THEN SUM(power) END AS fetched_power
  FROM last_vote
  GROUP BY proposal_no
) AS fetched
LEFT JOIN (
  SELECT proposal_no, COUNT(*) AS counted_votes, SUM(has_reason) AS reasons FROM counted GROUP BY proposal_no
) AS own ON own.proposal_no = fetched.proposal_no;
