-- Voters that vote alike: which voters may be parts of a larger one.
-- Range: part 0..1. Unit: voters of one frame.
-- Unknown: no row for a voter that passes nothing on.
-- From: member, voter_share, voter. Makes: record (each voter over a frame), largest (the 100 largest), alike.
-- J = same / (either + 5): `same` is the attention of ballots on which both made the same choice, `either` of those on which
-- at least one voted. A voter passes the part (J - 0.5) / 0.2, at most 1, to the larger voter with the highest J.
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

CREATE OR REPLACE TABLE alike AS
WITH compared AS (
  SELECT given.frame_no, given.entity_no, taken.nth, taken.entity_no AS receiver_no,
    SUM(CASE WHEN given.choice_index = taken.choice_index THEN given.attention ELSE 0.0 END)
      / (MAX(given.attended) + MAX(taken.attended) - SUM(given.attention) + 5) AS likeness
  FROM regular_vote AS given
  JOIN regular_vote AS taken ON taken.frame_no = given.frame_no AND taken.proposal_no = given.proposal_no
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
