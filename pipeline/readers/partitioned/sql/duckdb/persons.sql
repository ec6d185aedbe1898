-- Persons: how each took part in the frame of the version, entities merged and nothing else.
-- Range: participation 0..100 percent of the frame's attention, power share 0..100 percent. Unit: persons by pseudonym.
-- Gap: power_share_pct NULL where no power is known, times NULL where no vote has one.
-- From: entity_share, member, frame_of, moment, frame_sum, vote, voter. Makes: person_participation.
-- The power share is the weighted median over all of the frame whose power is known, absence counting as 0.
CREATE OR REPLACE TABLE person_participation AS
WITH present AS (
  SELECT member.space_id, member.frame_no, member.proposal_no, member.attention, entity_no, share
  FROM member
  JOIN frame_of ON frame_of.frame_no = member.frame_no
  JOIN moment ON moment.moment_no = frame_of.moment_no
  JOIN entity_share ON entity_share.proposal_no = member.proposal_no
  WHERE is_current = 1
),
known AS (
  SELECT frame_no, SUM(attention) AS known_attention
  FROM (SELECT DISTINCT frame_no, proposal_no, attention FROM present WHERE share IS NOT NULL) AS with_power
  GROUP BY frame_no
),
took_part AS (
  SELECT present.space_id, present.frame_no, entity_no, COUNT(*) AS proposals_voted, SUM(present.attention) AS attended,
    known_attention - COALESCE(SUM(CASE WHEN share IS NOT NULL THEN present.attention END), 0.0) AS absent, known_attention
  FROM present
  LEFT JOIN known ON known.frame_no = present.frame_no
  GROUP BY present.space_id, present.frame_no, entity_no, known_attention
),
share_of AS (
  SELECT frame_no, entity_no, MIN(value) AS power_share
  FROM (
    SELECT present.frame_no, present.entity_no, share AS value, known_attention,
      absent + SUM(present.attention) OVER (PARTITION BY present.frame_no, present.entity_no ORDER BY share, present.attention
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS reached
    FROM present
    JOIN took_part ON took_part.frame_no = present.frame_no AND took_part.entity_no = present.entity_no
    WHERE share IS NOT NULL
    UNION ALL
    SELECT frame_no, entity_no, 0.0, known_attention, absent FROM took_part WHERE absent > known_attention * 1e-12
  ) AS inflow
  WHERE reached >= known_attention / 2 - known_attention * 1e-12
  GROUP BY frame_no, entity_no
),
spans AS (
  SELECT electorate.space_id, electorate.entity_no, MIN(voted_ms) AS first_vote_ms, MAX(voted_ms) AS last_vote_ms
  FROM vote
  JOIN proposal ON proposal.proposal_no = vote.proposal_no
  JOIN electorate ON electorate.space_id = proposal.space_id AND electorate.voter_no = vote.voter_no
  CROSS JOIN version
  WHERE voted_ms <= as_of_ms
  GROUP BY electorate.space_id, electorate.entity_no
)
SELECT took_part.space_id, voter.person_id, proposals_voted, 100 * attended / attention_sum AS participation_pct, 100 * power_share AS power_share_pct,
  first_vote_ms, last_vote_ms
FROM took_part
JOIN frame_sum ON frame_sum.frame_no = took_part.frame_no
JOIN voter ON voter.voter_no = took_part.entity_no
LEFT JOIN share_of ON share_of.frame_no = took_part.frame_no AND share_of.entity_no = took_part.entity_no
LEFT JOIN spans ON spans.space_id = took_part.space_id AND spans.entity_no = took_part.entity_no;
