-- Governance Process Index (gpi): are there rules, and do they carry?
-- Range: 0..10 points. Unit: proposals for the quorum, days for the cadence, heads for the proposers, rules for the guardrails.
-- Gap: less than half of the indicators' weight is known (PROCESS_UNKNOWN).
-- From: frame_of, frame_sum, attended, measured, median, space. Makes: cadence, proposers, quorums, guarded, gpi_row, gpi.

-- Share of the last 180 days that lies within 30 days after an end: a day counts once.
CREATE OR REPLACE TABLE cadence AS
SELECT moment_no, space_id, SUM(GREATEST(0, until_ms - from_ms)) / (180 * 86400000.0) AS cadence
FROM (
  SELECT moment_no, space_id, LEAST(end_ms + 30 * CAST(86400000 AS BIGINT), at_ms) AS until_ms,
    GREATEST(end_ms, at_ms - 180 * CAST(86400000 AS BIGINT), COALESCE(last_ms + 30 * CAST(86400000 AS BIGINT), 0)) AS from_ms
  FROM (
    SELECT frame_of.moment_no, frame_of.space_id, frame_of.at_ms, end_ms,
      LAG(end_ms) OVER (PARTITION BY frame_of.moment_no, frame_of.space_id ORDER BY proposal_no) AS last_ms
    FROM frame_of
    JOIN attended ON attended.frame_no = frame_of.frame_no
  ) AS followed
) AS covered
GROUP BY moment_no, space_id;

-- Effective proposers by their shares of attention, entities merged, and n_e of the proposals whose authors are known.
CREATE OR REPLACE TABLE proposers AS
SELECT frame_no, SUM(attention) * SUM(attention) / SUM(attention * attention) AS effective_proposers,
  SUM(attention) * SUM(attention) / SUM(squares) AS authored_proposals
FROM (
  SELECT frame_no, author_person_id, SUM(attention) AS attention, SUM(attention * attention) AS squares
  FROM measured
  WHERE author_person_id IS NOT NULL
  GROUP BY frame_no, author_person_id
) AS authors
GROUP BY frame_no;

-- Quorums that mean something (at least 1 % of the median S), how often they were reached, and the latest one asked for.
-- A rejection quorum is a veto and no quorum.
CREATE OR REPLACE TABLE quorums AS
SELECT frame_no, MAX(least) AS least,
  SUM(CASE WHEN is_meaningful = 1 AND power >= quorum THEN attention WHEN is_meaningful = 1 THEN 0.0 END)
    / SUM(CASE WHEN is_meaningful = 1 THEN attention END) AS reached,
  MAX(CASE WHEN proposal_no = latest_no THEN quorum END) AS latest,
  MAX(CASE WHEN proposal_no = latest_no THEN is_quorum_rejection END) AS is_veto
FROM (
  SELECT measured.frame_no, proposal_no, attention, power, quorum, is_quorum_rejection, NULLIF(median.value, 0) * 0.01 AS least,
    CASE WHEN is_quorum_rejection = 0 AND power IS NOT NULL AND quorum >= NULLIF(median.value, 0) * 0.01 THEN 1 ELSE 0 END AS is_meaningful,
    MAX(CASE WHEN quorum IS NOT NULL THEN proposal_no END) OVER (PARTITION BY measured.frame_no) AS latest_no
  FROM measured
  LEFT JOIN median ON median.frame_no = measured.frame_no AND median.measure = 'power'
) AS judged
GROUP BY frame_no;

-- The mean of the guardrails that are known, of at least two.
CREATE OR REPLACE TABLE guarded AS
SELECT frame_no, AVG(is_there * 1.0) AS guarded
FROM (
  SELECT frame_no, is_gated AS is_there FROM frame JOIN space ON space.space_id = frame.space_id
  UNION ALL SELECT frame_no, has_fixed_period FROM frame JOIN space ON space.space_id = frame.space_id
  UNION ALL SELECT frame_no, CASE WHEN guardians >= 2 THEN 1 WHEN guardians IS NOT NULL THEN 0 END FROM frame JOIN space ON space.space_id = frame.space_id
  UNION ALL SELECT quorums.frame_no,
    CASE WHEN is_veto = 1 THEN NULL WHEN COALESCE(space.quorum, latest) = 0 THEN 0
      WHEN COALESCE(space.quorum, latest) >= least THEN 1 WHEN COALESCE(space.quorum, latest) < least THEN 0 END
  FROM quorums JOIN frame ON frame.frame_no = quorums.frame_no JOIN space ON space.space_id = frame.space_id
) AS rails
WHERE is_there IS NOT NULL
GROUP BY frame_no
HAVING COUNT(*) >= 2;

CREATE OR REPLACE TABLE gpi_row AS
SELECT moment_no, space_id, indicator, 'part' AS role, weight, raw, position, value,
  CASE WHEN value IS NULL THEN 0.0 ELSE weight / SUM(CASE WHEN value IS NOT NULL THEN weight END) OVER (PARTITION BY moment_no, space_id) END AS effective_weight
FROM (
  SELECT moment_no, space_id, indicator, weight, raw, position,
    CASE WHEN position > 1 THEN 1.0 WHEN position < 0 THEN 0.0 ELSE position END AS value
  FROM (
    SELECT frame_of.moment_no, frame_of.space_id, 'quorum' AS indicator, 0.3 AS weight, reached AS raw, reached AS position
    FROM frame_of JOIN quorums ON quorums.frame_no = frame_of.frame_no
    UNION ALL
    SELECT frame_of.moment_no, frame_of.space_id, 'cadence', 0.25, cadence, cadence
    FROM frame_of
    JOIN frame_sum ON frame_sum.frame_no = frame_of.frame_no
    JOIN cadence ON cadence.moment_no = frame_of.moment_no AND cadence.space_id = frame_of.space_id
    UNION ALL
    SELECT frame_of.moment_no, frame_of.space_id, 'proposers', 0.25, CASE WHEN authored_proposals >= 2 THEN effective_proposers END,
      CASE WHEN authored_proposals >= 2 THEN LN(effective_proposers) / LN(LEAST(authored_proposals, 10.0)) END
    FROM frame_of
    JOIN frame_sum ON frame_sum.frame_no = frame_of.frame_no
    LEFT JOIN proposers ON proposers.frame_no = frame_of.frame_no
    UNION ALL
    SELECT frame_of.moment_no, frame_of.space_id, 'guardrails', 0.2, guarded, guarded
    FROM frame_of
    JOIN frame_sum ON frame_sum.frame_no = frame_of.frame_no
    LEFT JOIN guarded ON guarded.frame_no = frame_of.frame_no
  ) AS goalposts
) AS marked;

CREATE OR REPLACE TABLE gpi AS
SELECT moment_no, space_id, CASE WHEN present >= 0.5 - 1e-9 AND present > 0 THEN 10 * weighted / present END AS points,
  CASE WHEN present >= 0.5 - 1e-9 AND present > 0 THEN NULL ELSE 'PROCESS_UNKNOWN' END AS gap
FROM (
  SELECT moment_no, space_id, SUM(CASE WHEN value IS NOT NULL THEN weight ELSE 0.0 END) AS present, SUM(weight * value) AS weighted
  FROM gpi_row
  GROUP BY moment_no, space_id
) AS summed;
