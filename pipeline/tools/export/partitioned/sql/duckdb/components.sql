-- Components and GVS: the scores that follow from all marks at each moment.
-- Range: marks, presence and known_share 0..1, points 0..10. Unit: points, each with a low end and a high end.
-- Unknown: none, as unknown data is an interval.
-- From: frame_of, candidate, weighed, mark, measured, space. Makes: presence, cadence, proposers, indicator_row, component, vitality, scored.
-- unseen_days: days since the last complete fetch, or for an archive since the end of its last day with a valid vote.
CREATE OR REPLACE TABLE presence AS
SELECT frame_of.moment_no, frame_of.space_id, frame_of.frame_no, frame_of.at_ms, COALESCE(present, 0.0) AS low,
  COALESCE(present, 0.0) + (1 - COALESCE(present, 0.0)) * LEAST(1.0, unseen_days / 7) AS high, unseen_days
FROM (
  SELECT moment_no, frame_no, frame_of.at_ms, frame_of.space_id,
    GREATEST(0.0, (frame_of.at_ms - COALESCE(CASE WHEN is_archive = 1 AND last_complete_fetch_ms IS NOT NULL
      THEN FLOOR(last_ms / 86400000.0) * 86400000.0 + 86399999.0 ELSE last_complete_fetch_ms * 1.0 END, -1e18)) / 86400000.0) AS unseen_days
  FROM frame_of
  JOIN space ON space.space_id = frame_of.space_id
  LEFT JOIN (
    SELECT space_id, MAX(end_ms) AS last_ms
    FROM proposal
    WHERE is_deleted = 0 AND is_flagged = 0 AND COALESCE(state, '') NOT IN ('active', 'pending', 'cancelled')
      AND COALESCE(scores_state, 'final') = 'final' AND proposal_no IN (SELECT proposal_no FROM valid_vote)
    GROUP BY space_id
  ) AS last_vote ON last_vote.space_id = frame_of.space_id
) AS frame_of
LEFT JOIN (
  SELECT moment_no, space_id, SUM(present) / 2 AS present
  FROM (
    SELECT moment_no, space_id, present, ROW_NUMBER() OVER (PARTITION BY moment_no, space_id ORDER BY present DESC, proposal_no) AS nth
    FROM (
      SELECT moment_no, space_id, proposal_no, attention * LEAST(1.0, GREATEST(0.0, (180 - (at_ms - end_ms) / 86400000.0) / 60)) AS present FROM weighed
    ) AS faded
  ) AS ordered
  WHERE nth <= 2
  GROUP BY moment_no, space_id
) AS summed ON summed.moment_no = frame_of.moment_no AND summed.space_id = frame_of.space_id;

-- The largest attention in reach at each moment: it is constant between two changes of reach.
CREATE OR REPLACE TABLE cadence AS
WITH reach AS (
  SELECT moment_no, space_id, attention, GREATEST(end_ms, at_ms - 180 * CAST(86400000 AS BIGINT)) AS from_ms,
    LEAST(end_ms + 30 * CAST(86400000 AS BIGINT), at_ms) AS until_ms
  FROM weighed
  WHERE end_ms > at_ms - 210 * CAST(86400000 AS BIGINT)
),
turn AS (
  SELECT moment_no, space_id, from_ms AS turn_ms FROM reach
  UNION
  SELECT moment_no, space_id, until_ms FROM reach
),
stretch AS (
  SELECT moment_no, space_id, turn_ms, LEAD(turn_ms) OVER (PARTITION BY moment_no, space_id ORDER BY turn_ms) AS next_ms FROM turn
)
SELECT moment_no, space_id, SUM(largest * (next_ms - turn_ms)) / (180 * 86400000.0) AS cadence
FROM (
  SELECT stretch.moment_no, stretch.space_id, turn_ms, next_ms, MAX(attention) AS largest
  FROM stretch
  JOIN reach ON reach.moment_no = stretch.moment_no AND reach.space_id = stretch.space_id
  WHERE reach.from_ms <= turn_ms AND reach.until_ms >= next_ms
  GROUP BY stretch.moment_no, stretch.space_id, turn_ms, next_ms
) AS covered
GROUP BY moment_no, space_id;

CREATE OR REPLACE TABLE proposers AS
SELECT moment_no, space_id, SUM(of_author) AS weight_sum, SUM(squares) AS proposal_squares, SUM(of_author * of_author) AS author_squares
FROM (
  SELECT weighed.moment_no, weighed.space_id, author_person_id, SUM(weight) AS of_author, SUM(weight * weight) AS squares
  FROM weighed
  JOIN proposal ON proposal.proposal_no = weighed.proposal_no
  WHERE author_person_id IS NOT NULL
  GROUP BY weighed.moment_no, weighed.space_id, author_person_id
) AS authors
GROUP BY moment_no, space_id;

CREATE OR REPLACE TABLE indicator_sum AS
SELECT moment_no, weighed.frame_no, indicator, SUM(weight * part) AS weight, SUM(weight * part * low) AS low, SUM(weight * part * high) AS high
FROM weighed
JOIN mark ON mark.frame_no = weighed.frame_no AND mark.proposal_no = weighed.proposal_no
WHERE low IS NOT NULL
GROUP BY moment_no, weighed.frame_no, indicator;

CREATE OR REPLACE TABLE indicator_row AS
WITH kind AS (SELECT DISTINCT component, indicator FROM mark)
SELECT presence.moment_no, presence.space_id, kind.component, kind.indicator, COALESCE(weight, 0.0) AS weight,
  COALESCE(indicator_sum.low, 0.0) / (COALESCE(weight, 0.0) + 2) AS low, (COALESCE(indicator_sum.high, 0.0) + 2) / (COALESCE(weight, 0.0) + 2) AS high
FROM presence
CROSS JOIN kind
LEFT JOIN indicator_sum ON indicator_sum.moment_no = presence.moment_no AND indicator_sum.frame_no = presence.frame_no AND indicator_sum.indicator = kind.indicator
UNION ALL
SELECT presence.moment_no, presence.space_id, 'gpi', 'cadence', 1.0, COALESCE(cadence, 0.0), LEAST(1.0, COALESCE(cadence, 0.0) + unseen_days / 180)
FROM presence
LEFT JOIN cadence ON cadence.moment_no = presence.moment_no AND cadence.space_id = presence.space_id
UNION ALL
SELECT moment_no, space_id, 'gpi', 'proposers', weight, weight * value / (weight + 2), (weight * value + 2) / (weight + 2)
FROM (
  SELECT presence.moment_no, presence.space_id,
    CASE WHEN weight_sum * weight_sum - proposal_squares > 0 THEN (weight_sum * weight_sum - proposal_squares) / weight_sum ELSE 0.0 END AS weight,
    CASE WHEN weight_sum * weight_sum - proposal_squares > 0
      THEN LEAST(1.0, GREATEST(0.0, (weight_sum * weight_sum - author_squares) / (weight_sum * weight_sum - proposal_squares) / 0.9)) ELSE 0.0 END AS value
  FROM presence
  LEFT JOIN proposers ON proposers.moment_no = presence.moment_no AND proposers.space_id = presence.space_id
) AS drawn
UNION ALL
SELECT moment_no, space_id, 'gpi', 'guardrails', CASE WHEN open_rails = 3 THEN 0.0 ELSE 1.0 END, held / 3.0, (held + open_rails) / 3.0
FROM (
  SELECT presence.moment_no, presence.space_id,
    COALESCE(is_gated, 0) + COALESCE(has_fixed_period, 0) + CASE WHEN guardians >= 2 THEN 1 ELSE 0 END AS held,
    CASE WHEN is_gated IS NULL THEN 1 ELSE 0 END + CASE WHEN has_fixed_period IS NULL THEN 1 ELSE 0 END + CASE WHEN guardians IS NULL THEN 1 ELSE 0 END AS open_rails
  FROM presence
  JOIN space ON space.space_id = presence.space_id
) AS rails;

CREATE OR REPLACE TABLE component AS
SELECT moment_no, space_id, component, low, SQRT((1 + low) * (1 + high)) - 1 AS point, high
FROM (
  SELECT presence.moment_no, presence.space_id, component, 10 * MAX(presence.low) * AVG(indicator_row.low) AS low,
    10 * MAX(presence.high) * AVG(indicator_row.high) AS high
  FROM presence
  JOIN indicator_row ON indicator_row.moment_no = presence.moment_no AND indicator_row.space_id = presence.space_id
  GROUP BY presence.moment_no, presence.space_id, component
) AS ends;

CREATE OR REPLACE TABLE vitality AS
SELECT moment_no, space_id, low, SQRT((1 + low) * (1 + high)) - 1 AS point, high, 1 - LN((1 + high) / (1 + low)) / LN(11.0) AS known_share
FROM (
  SELECT moment_no, space_id,
    EXP(SUM(CASE WHEN component IN ('hpr', 'dei') THEN 0.3 ELSE 0.2 END * LN(1 + low))) - 1 AS low,
    EXP(SUM(CASE WHEN component IN ('hpr', 'dei') THEN 0.3 ELSE 0.2 END * LN(1 + high))) - 1 AS high
  FROM component
  GROUP BY moment_no, space_id
) AS ends;

-- One row per DAO and moment: unscored is why there is no score, index_weight the DAO's weight in the index. Eligible proposals
-- are those of the frame and all older ones.
CREATE OR REPLACE TABLE scored AS
SELECT vitality.moment_no, vitality.space_id, vitality.low AS gvs_low, vitality.point AS gvs, vitality.high AS gvs_high, known_share,
  MAX(CASE WHEN component = 'hpr' THEN component.point END) AS hpr, MAX(CASE WHEN component = 'dei' THEN component.point END) AS dei,
  MAX(CASE WHEN component = 'pdi' THEN component.point END) AS pdi, MAX(CASE WHEN component = 'gpi' THEN component.point END) AS gpi,
  MAX(presence.low) * LEAST(1.0, GREATEST(0.0, 2 * known_share - 1)) AS index_weight,
  CASE WHEN MAX(is_flagged) = 1 THEN 'SPACE_FLAGGED' WHEN COALESCE(MAX(members), 0) = 0 THEN 'NO_PROPOSALS' WHEN known_share < 0.5 THEN 'TOO_LITTLE_KNOWN' END AS unscored,
  COALESCE(MAX(members), 0) AS members, COALESCE(MAX(members), 0) + COALESCE(MAX(too_old), 0) AS eligible,
  CASE WHEN COALESCE(MAX(members), 0) + COALESCE(MAX(too_old), 0) >= 20 THEN 'high' ELSE 'low' END AS gvs_confidence
FROM vitality
JOIN component ON component.moment_no = vitality.moment_no AND component.space_id = vitality.space_id
JOIN presence ON presence.moment_no = vitality.moment_no AND presence.space_id = vitality.space_id
JOIN space ON space.space_id = vitality.space_id
LEFT JOIN (SELECT frame_no, COUNT(*) AS members FROM member GROUP BY frame_no) AS counted ON counted.frame_no = presence.frame_no
LEFT JOIN (SELECT frame_no, COUNT(*) AS too_old FROM candidate WHERE verdict = 'TOO_OLD' GROUP BY frame_no) AS older ON older.frame_no = presence.frame_no
GROUP BY vitality.moment_no, vitality.space_id, vitality.low, vitality.point, vitality.high, known_share;
