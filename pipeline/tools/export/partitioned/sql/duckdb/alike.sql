-- Voters that vote alike: which voters may be parts of a larger one.
-- Range: part 0..1. Unit: voters of one frame.
-- Unknown: no row for a voter that passes nothing on.
-- From: member, voter_share, own_share, option_share, voter, proposal, choice, choice_part, choice_list.
-- Makes: record (each voter over a frame), largest (the 100 largest), agreement (of different choices), alike.
-- J = same / (either + 5): `same` is the attention of ballots on which both made the same choice, or the part to which the two
-- choices agree, `either` of those on which at least one voted. A voter passes the part (J - 0.5) / 0.2, at most 1, to the larger voter with the highest J.
CREATE OR REPLACE TABLE record AS
SELECT frame_no, entity_no, ROUND(SUM(attention * share) / 1e-9) AS size_units, SUM(attention) AS attended
FROM member
JOIN voter_share ON voter_share.proposal_no = member.proposal_no
GROUP BY frame_no, entity_no;

CREATE OR REPLACE TABLE labelled AS
SELECT DISTINCT entity_no FROM voter WHERE is_labelled = 1;

-- Voters of equal size are ordered by their ballots: the larger share first, then the first choice.
CREATE OR REPLACE TABLE largest AS
WITH near_largest AS (
  SELECT frame_no, entity_no, size_units, attended, COUNT(*) OVER (PARTITION BY frame_no, size_units) AS equals
  FROM (
    SELECT frame_no, entity_no, size_units, attended, RANK() OVER (PARTITION BY frame_no ORDER BY size_units DESC) AS place
    FROM record
    WHERE size_units > 0
  ) AS placed
  WHERE place <= 100
),
with_ballots AS (
  SELECT near_largest.frame_no, near_largest.entity_no,
    LIST_SORT(LIST(ROW(member.proposal_no, -COALESCE(share, 0.0), COALESCE(choice_index, 0)))) AS ballots
  FROM near_largest
  JOIN member ON member.frame_no = near_largest.frame_no
  LEFT JOIN voter_share ON voter_share.proposal_no = member.proposal_no AND voter_share.entity_no = near_largest.entity_no
  WHERE equals > 1
  GROUP BY near_largest.frame_no, near_largest.entity_no
)
SELECT frame_no, entity_no, attended, nth
FROM (
  SELECT near_largest.frame_no, near_largest.entity_no, near_largest.attended,
    ROW_NUMBER() OVER (PARTITION BY near_largest.frame_no
      ORDER BY size_units DESC, ballots, CASE WHEN labelled.entity_no IS NULL THEN 1 ELSE 0 END, near_largest.entity_no) AS nth
  FROM near_largest
  LEFT JOIN with_ballots ON with_ballots.frame_no = near_largest.frame_no AND with_ballots.entity_no = near_largest.entity_no
  LEFT JOIN labelled ON labelled.entity_no = near_largest.entity_no
) AS numbered
WHERE nth <= 100;

-- A likeness above 0.5 needs same > (either + 5) / 2. As same is at most the smaller of what the two attended and either at
-- least the larger, a voter that attended 5 or less is like nobody, and most pairs need no comparison.
CREATE OR REPLACE TABLE regular_vote AS
SELECT record.frame_no, record.entity_no, attended, nth, is_labelled, member.proposal_no, attention, choice_index
FROM (
  SELECT record.frame_no, record.entity_no, record.attended, COALESCE(largest.nth, 101) AS nth,
    CASE WHEN labelled.entity_no IS NULL THEN 0 ELSE 1 END AS is_labelled
  FROM record
  LEFT JOIN largest ON largest.frame_no = record.frame_no AND largest.entity_no = record.entity_no
  LEFT JOIN labelled ON labelled.entity_no = record.entity_no
  WHERE record.attended > 5
) AS record
JOIN member ON member.frame_no = record.frame_no
JOIN voter_share ON voter_share.proposal_no = member.proposal_no AND voter_share.entity_no = record.entity_no;

-- Weights agree by what they give to the same options, approvals by shared over named options, orders by their first option.
-- Lists of an unknown type may be either, and agree as far as either allows. What abstains is divided among the sides as the
-- power of the other votes is. Where every choice is a single side there are no rows.
CREATE OR REPLACE TABLE agreement AS
WITH side AS (
  SELECT proposal_no, option_no, share / SUM(share) OVER (PARTITION BY proposal_no) AS part
  FROM option_share
  WHERE is_side = 1 AND share > 0 AND proposal_no IN (SELECT proposal_no FROM option_share WHERE is_side = 0)
),
graded AS (
  SELECT own_share.proposal_no, choice_index, own_share.choice_no, MIN(voting_type) AS voting_type, MIN(first_no) AS first_no
  FROM own_share
  JOIN proposal ON proposal.proposal_no = own_share.proposal_no
  LEFT JOIN choice_list ON choice_list.choice_no = own_share.choice_no
  WHERE own_share.proposal_no IN (
    SELECT own_share.proposal_no FROM own_share JOIN choice ON choice.choice_no = own_share.choice_no WHERE choice_kind IN ('list', 'weights')
    UNION ALL
    SELECT proposal_no FROM option_share WHERE is_side = 0
  )
  GROUP BY own_share.proposal_no, choice_index, own_share.choice_no
),
sided AS (
  SELECT graded.proposal_no, graded.choice_no, CASE WHEN side.option_no IS NULL THEN choice_part.option_no ELSE side.option_no END AS option_no,
    SUM(choice_part.part * COALESCE(side.part, 1.0)) AS part, MAX(choice_part.options) AS options
  FROM graded
  JOIN choice_part ON choice_part.choice_no = graded.choice_no
  LEFT JOIN side ON side.proposal_no = graded.proposal_no AND choice_part.option_no = 3 AND graded.first_no IS NULL
  GROUP BY graded.proposal_no, graded.choice_no, CASE WHEN side.option_no IS NULL THEN choice_part.option_no ELSE side.option_no END
),
made AS (SELECT DISTINCT proposal_no, choice_index FROM regular_vote),
made_by_largest AS (SELECT DISTINCT proposal_no, choice_index FROM regular_vote WHERE nth <= 100),
pair AS (
  SELECT one.proposal_no, one.choice_index AS one_index, other.choice_index AS other_index, one.choice_no AS one_no, other.choice_no AS other_no,
    one.voting_type, one.first_no AS one_first, other.first_no AS other_first
  FROM made
  JOIN made_by_largest ON made_by_largest.proposal_no = made.proposal_no
  JOIN graded AS one ON one.proposal_no = made.proposal_no AND one.choice_index = made.choice_index
  JOIN graded AS other ON other.proposal_no = made.proposal_no AND other.choice_index = made_by_largest.choice_index
  WHERE made.choice_index <> made_by_largest.choice_index
),
shared AS (
  SELECT pair.proposal_no, pair.one_index, pair.other_index, SUM(LEAST(one.part, other.part)) AS part,
    COUNT(*) * 1.0 / (MAX(one.options) + MAX(other.options) - COUNT(*)) AS named
  FROM pair
  JOIN sided AS one ON one.proposal_no = pair.proposal_no AND one.choice_no = pair.one_no
  JOIN sided AS other ON other.proposal_no = pair.proposal_no AND other.choice_no = pair.other_no AND other.option_no = one.option_no
  GROUP BY pair.proposal_no, pair.one_index, pair.other_index
)
SELECT pair.proposal_no, pair.one_index, pair.other_index,
  CASE WHEN one_first IS NULL OR other_first IS NULL THEN LEAST(1.0, COALESCE(part, 0.0))
    WHEN COALESCE(voting_type, '') = 'approval' THEN COALESCE(named, 0.0)
    WHEN one_first = other_first THEN 1.0
    WHEN COALESCE(voting_type, '') IN ('ranked-choice', 'copeland') THEN 0.0
    ELSE COALESCE(named, 0.0) END AS part
FROM pair
LEFT JOIN shared ON shared.proposal_no = pair.proposal_no AND shared.one_index = pair.one_index AND shared.other_index = pair.other_index;

CREATE OR REPLACE TABLE alike AS
WITH compared AS (
  SELECT given.frame_no, given.entity_no, taken.nth, taken.entity_no AS receiver_no,
    SUM(CASE WHEN given.choice_index = taken.choice_index THEN given.attention ELSE given.attention * COALESCE(agreement.part, 0.0) END)
      / (MAX(given.attended) + MAX(taken.attended) - SUM(given.attention) + 5) AS likeness
  FROM regular_vote AS given
  JOIN regular_vote AS taken ON taken.frame_no = given.frame_no AND taken.proposal_no = given.proposal_no
  LEFT JOIN agreement ON agreement.proposal_no = given.proposal_no AND agreement.one_index = given.choice_index AND agreement.other_index = taken.choice_index
  WHERE given.is_labelled = 0 AND taken.nth <= 100 AND taken.nth < given.nth
    AND LEAST(given.attended, taken.attended) > 0.5 * (GREATEST(given.attended, taken.attended) + 5)
  GROUP BY given.frame_no, given.entity_no, taken.nth, taken.entity_no
),
closest AS (
  SELECT frame_no, entity_no, receiver_no, most,
    ROW_NUMBER() OVER (PARTITION BY frame_no, entity_no ORDER BY nth) AS choice
  FROM (
    SELECT frame_no, entity_no, receiver_no, nth, likeness, MAX(likeness) OVER (PARTITION BY frame_no, entity_no) AS most FROM compared
  ) AS best
  WHERE likeness >= most - 1e-9 AND most > 0.5
)
SELECT frame_no, entity_no, receiver_no, LEAST(1.0, (most - 0.5) / 0.2) AS part FROM closest WHERE choice = 1;
