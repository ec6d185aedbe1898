-- Continuity: are the first voters under new voting strategies (a unit) those who voted before? Attention is multiplied by it.
-- Range: continuity, attention and weight 0..1. Unit: units, proposals.
-- Unknown: 1 without ballots to compare. A unit that is alone in its frame has no row, nor has a DAO without members in weighed.
-- From: frame_of, candidate, ballot, attended, voter_share. Makes: unit_start (units by their first ballot of all time),
-- powered, continuity, member, weighed.
-- One unit after another, by the last ballots before its first: they count with the continuity of their own units. Of either
-- side ballots count until their attention is 10. With an attention of 1 to 2 on the earlier side a unit is judged in part.
CREATE OR REPLACE TABLE unit_start AS
SELECT frame_no, unit, first_no, ROW_NUMBER() OVER (PARTITION BY frame_no ORDER BY first_no) AS nth, COUNT(*) OVER (PARTITION BY frame_no) AS units
FROM (
  SELECT candidate.frame_no, candidate.unit, MIN(candidate.proposal_no) AS first_no
  FROM candidate
  JOIN ballot ON ballot.proposal_no = candidate.proposal_no
  JOIN (
    SELECT DISTINCT attended.frame_no, attended.unit FROM attended JOIN ballot ON ballot.proposal_no = attended.proposal_no WHERE valid_power > 0
  ) AS framed ON framed.frame_no = candidate.frame_no AND framed.unit = candidate.unit
  WHERE (verdict IS NULL OR verdict = 'TOO_OLD') AND valid_power > 0
  GROUP BY candidate.frame_no, candidate.unit
) AS started;

CREATE OR REPLACE TABLE powered AS
SELECT attended.frame_no, nth, attended.proposal_no, attention
FROM attended
JOIN unit_start ON unit_start.frame_no = attended.frame_no AND unit_start.unit = attended.unit
JOIN ballot ON ballot.proposal_no = attended.proposal_no
WHERE valid_power > 0 AND units > 1;

CREATE OR REPLACE TABLE continuity AS
WITH RECURSIVE judged AS (
  SELECT frame_no, 1 AS nth, [CAST(1 AS DOUBLE)] AS continuities FROM unit_start WHERE units > 1 AND nth = 1
  UNION ALL
  SELECT frame_no, nth, LIST_APPEND(continuities, CASE WHEN earlier_sum > 1 AND usual >= 1e-6
    THEN 1 - LEAST(1.0, earlier_sum - 1) * (1 - LEAST(1.0, GREATEST(0.0, (common / usual - 0.1) / (0.25 - 0.1)))) ELSE 1.0 END) AS continuities
  FROM (
    SELECT frame_no, nth, continuities, MAX(earlier_sum) AS earlier_sum,
      SUM(CASE WHEN seen = 1 THEN LEAST(earlier_held / earlier_sum, own_held / own_sum) ELSE 0.0 END) AS common,
      SUM(CASE WHEN is_own = 0 AND earlier_sum > 1
        THEN weight / earlier_sum * LEAST(capped, GREATEST(0.0, (earlier_held - weight * capped) / (earlier_sum - weight))) ELSE 0.0 END) AS usual
    FROM (
      SELECT frame_no, nth, continuities, is_own, weight, earlier_sum, own_sum, capped,
        SUM(CASE WHEN is_own = 0 THEN weight * capped ELSE 0.0 END) OVER (PARTITION BY frame_no, entity_no) AS earlier_held,
        SUM(CASE WHEN is_own = 1 THEN weight * capped ELSE 0.0 END) OVER (PARTITION BY frame_no, entity_no) AS own_held,
        ROW_NUMBER() OVER (PARTITION BY frame_no, entity_no ORDER BY compared.proposal_no) AS seen
      FROM (
        SELECT frame_no, nth, continuities, proposal_no, is_own, weight,
          SUM(CASE WHEN is_own = 0 THEN weight ELSE 0.0 END) OVER (PARTITION BY frame_no) AS earlier_sum,
          SUM(CASE WHEN is_own = 1 THEN weight ELSE 0.0 END) OVER (PARTITION BY frame_no) AS own_sum
        FROM (
          SELECT frame_no, nth, continuities, proposal_no, is_own, LEAST(weight, 10 - (so_far - weight)) AS weight
          FROM (
            SELECT frame_no, nth, continuities, proposal_no, is_own, weight,
              SUM(weight) OVER (PARTITION BY frame_no, is_own ORDER BY away ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far
            FROM (
              SELECT judged.frame_no, unit_start.nth, continuities, powered.proposal_no,
                CASE WHEN powered.nth = unit_start.nth THEN 1 ELSE 0 END AS is_own, ABS(powered.proposal_no - unit_start.first_no) AS away,
                CASE WHEN powered.nth = unit_start.nth THEN attention ELSE attention * continuities[powered.nth] END AS weight
              FROM judged
              JOIN unit_start ON unit_start.frame_no = judged.frame_no AND unit_start.nth = judged.nth + 1
              JOIN powered ON powered.frame_no = judged.frame_no
              WHERE powered.nth = unit_start.nth OR (powered.nth < unit_start.nth AND powered.proposal_no < unit_start.first_no)
            ) AS counted
          ) AS reached
          WHERE so_far - weight < 10 AND weight > 0
        ) AS taken
      ) AS compared
      JOIN voter_share ON voter_share.proposal_no = compared.proposal_no
    ) AS held
    GROUP BY frame_no, nth, continuities
  ) AS compared_unit
)
SELECT judged.frame_no, unit, continuities[judged.nth] AS continuity
FROM judged
JOIN unit_start ON unit_start.frame_no = judged.frame_no AND unit_start.nth = judged.nth;

CREATE OR REPLACE TABLE member AS
SELECT attended.frame_no, space_id, proposal_no, end_ms, power, scale, attention * COALESCE(continuity, 1.0) AS attention
FROM attended
LEFT JOIN continuity ON continuity.frame_no = attended.frame_no AND continuity.unit = attended.unit
WHERE COALESCE(continuity, 1.0) > 0;

CREATE OR REPLACE TABLE weighed AS
SELECT moment_no, at_ms, frame_of.space_id, frame_of.frame_no, proposal_no, end_ms, attention,
  attention * (1 - (at_ms - end_ms) / (730 * 86400000.0)) AS weight
FROM frame_of
JOIN member ON member.frame_no = frame_of.frame_no;
