-- The frame of every DAO as of the moment (methodology §1): scale, attention, members. Made for each day.

-- Eligible proposals of the last 730 days with the power cast on each (S).
DROP TABLE IF EXISTS eligible;
CREATE TABLE eligible AS
SELECT numbered.proposal_no, space_id, start_s, end_s, proposal_id, COALESCE(strategies, '') AS unit, votes_count,
  COALESCE(scores_total, CASE WHEN votes_count = 0 AND fetched_votes IS NULL THEN 0 END, fetched_power) AS power,
  COALESCE(counted_votes, 0) AS counted_votes,
  CASE WHEN end_s <= as_of_s - 730 * 86400 THEN 1 ELSE 0 END AS is_too_old
FROM numbered
CROSS JOIN moment
LEFT JOIN ballot ON ballot.proposal_no = numbered.proposal_no
WHERE end_s <= as_of_s AND is_flagged = 0
  AND COALESCE(state, 'closed') = 'closed' AND COALESCE(scores_state, 'final') = 'final';

-- Scale of a unit: the S-weighted median of its 50 largest S.
DROP TABLE IF EXISTS scale;
CREATE TABLE scale AS
SELECT space_id, unit, MIN(power) AS scale
FROM (
  SELECT space_id, unit, power, SUM(power) OVER (PARTITION BY space_id, unit) AS total,
    SUM(power) OVER (PARTITION BY space_id, unit ORDER BY power, proposal_no ROWS UNBOUNDED PRECEDING) AS reached
  FROM (
    SELECT space_id, unit, power, proposal_no,
      ROW_NUMBER() OVER (PARTITION BY space_id, unit ORDER BY power DESC, proposal_no) AS nth
    FROM eligible
    WHERE is_too_old = 0 AND power > 0
  ) AS largest
  WHERE nth <= 50
) AS inflow
WHERE reached >= total / 2 - total * 1e-12
GROUP BY space_id, unit;

-- Attention ω, 0 to 1; unknown power is full attention.
DROP TABLE IF EXISTS attended;
CREATE TABLE attended AS
SELECT * FROM (
  SELECT eligible.*,
    CASE WHEN power IS NULL THEN 1.0 WHEN scale IS NULL THEN 0.0
      WHEN power / scale >= 1 THEN 1.0 ELSE (power / scale - 0.25) / 0.75 END AS attention
  FROM eligible
  LEFT JOIN scale ON scale.space_id = eligible.space_id AND scale.unit = eligible.unit
  WHERE is_too_old = 0
) AS weighed
WHERE attention > 0;

-- Members: all of the last 180 days, then older ones until Σω is 20, latest first by (end, id).
DROP TABLE IF EXISTS held;
CREATE TABLE held AS
SELECT attended.*, CASE WHEN end_s <= as_of_s - 180 * 86400 AND COALESCE(later, 0) >= 20 THEN 0 ELSE 1 END AS is_member
FROM (
  SELECT attended.*, SUM(attention) OVER (
    PARTITION BY space_id ORDER BY proposal_no DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS later
  FROM attended
  WHERE counted_votes > 0
) AS attended
CROSS JOIN moment;

DROP TABLE IF EXISTS member;
CREATE TABLE member AS SELECT * FROM held WHERE is_member = 1;

DROP TABLE IF EXISTS frame;
CREATE TABLE frame AS
SELECT space_id, COUNT(*) AS members, SUM(attention) AS attention_sum,
  SUM(attention) * SUM(attention) / SUM(attention * attention) AS effective_proposals, MIN(end_s) AS oldest_s
FROM member
GROUP BY space_id;

-- Attended proposals whose ballot is missing though they have votes: they lower completeness.
DROP TABLE IF EXISTS missing;
CREATE TABLE missing AS
SELECT attended.*
FROM attended
LEFT JOIN frame ON frame.space_id = attended.space_id
WHERE counted_votes = 0 AND (votes_count > 0 OR (votes_count IS NULL AND power > 0))
  AND (COALESCE(frame.attention_sum, 0) < 20 OR end_s >= oldest_s);
