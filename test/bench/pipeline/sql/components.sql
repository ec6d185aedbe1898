-- The four components of every DAO before thin evidence (methodology §2 to §5). Made for each day.

-- A, loyalty r, breadth b: what HPR is made of, but for presence.
DROP TABLE IF EXISTS participation;
CREATE TABLE participation AS
SELECT *,
  CASE WHEN effective_proposals < 1 + 1e-9 OR expected_heads = 0 THEN NULL
    ELSE (heads_mean / expected_heads - nobody_twice) / (1 - nobody_twice) END AS returning_share
FROM (
  SELECT frame.space_id, frame.members, frame.effective_proposals, expected_heads, active_heads,
    1 / (effective_proposals * (1 - POWER(1 - 1 / effective_proposals, 5))) AS nobody_twice,
    SUM(attention * heads) / SUM(attention) AS heads_mean,
    SUM(attention * unclustered_heads) / SUM(attention) AS unclustered_mean
  FROM frame
  JOIN measured ON measured.space_id = frame.space_id
  JOIN heads_of ON heads_of.space_id = frame.space_id
  GROUP BY frame.space_id, frame.members, frame.effective_proposals, expected_heads, active_heads
) AS means;

-- f: presence, from the last and the last but one attended proposal.
DROP TABLE IF EXISTS presence;
CREATE TABLE presence AS
SELECT space_id, SUM(CASE WHEN faded > 1 THEN 1.0 WHEN faded < 0 THEN 0.0 ELSE faded END) / 2 AS presence
FROM (
  SELECT space_id, (180 - (as_of_s - end_s) / 86400.0) / 60 AS faded,
    ROW_NUMBER() OVER (PARTITION BY space_id ORDER BY proposal_no DESC) AS nth
  FROM attended
  CROSS JOIN moment
) AS ended
WHERE nth <= 2
GROUP BY space_id;

-- Cadence: share of the last 180 days within 30 days after an end; a day counts once.
DROP TABLE IF EXISTS cadence;
CREATE TABLE cadence AS
SELECT space_id, SUM(CASE WHEN until_s > from_s THEN until_s - from_s ELSE 0 END) / (180 * 86400.0) AS cadence
FROM (
  SELECT space_id,
    CASE WHEN end_s + 30 * 86400 < as_of_s THEN end_s + 30 * 86400 ELSE as_of_s END AS until_s,
    CASE WHEN COALESCE(LAG(end_s) OVER (PARTITION BY space_id ORDER BY proposal_no) + 30 * 86400, 0) > end_s
        AND LAG(end_s) OVER (PARTITION BY space_id ORDER BY proposal_no) + 30 * 86400 > as_of_s - 180 * 86400
      THEN LAG(end_s) OVER (PARTITION BY space_id ORDER BY proposal_no) + 30 * 86400
      WHEN end_s > as_of_s - 180 * 86400 THEN end_s ELSE as_of_s - 180 * 86400 END AS from_s
  FROM attended
  CROSS JOIN moment
) AS covered
GROUP BY space_id;

-- Effective proposers by their shares of ω, entities merged; n_e of the proposals whose authors are known.
DROP TABLE IF EXISTS proposers;
CREATE TABLE proposers AS
SELECT space_id, SUM(attention) * SUM(attention) / SUM(attention * attention) AS effective_proposers,
  SUM(attention) * SUM(attention) / SUM(squares) AS authored_proposals
FROM (
  SELECT space_id, COALESCE(entity_id, author) AS head, SUM(attention) AS attention, SUM(attention * attention) AS squares
  FROM measured
  LEFT JOIN wallet ON wallet.voter = measured.author
  WHERE author IS NOT NULL
  GROUP BY space_id, COALESCE(entity_id, author)
) AS authors
GROUP BY space_id;

-- Quorums that mean something (at least 1 % of the median S), how often they were reached, and the latest one asked for.
DROP TABLE IF EXISTS quorums;
CREATE TABLE quorums AS
SELECT measured.space_id, NULLIF(median.value, 0) * 0.01 AS least,
  SUM(CASE WHEN is_meaningful = 1 AND power >= quorum THEN attention WHEN is_meaningful = 1 THEN 0 END)
    / SUM(CASE WHEN is_meaningful = 1 THEN attention END) AS reached,
  MAX(CASE WHEN nth = 1 THEN quorum END) AS latest, MAX(CASE WHEN nth = 1 THEN is_quorum_rejection END) AS is_veto
FROM (
  SELECT measured.*,
    CASE WHEN is_quorum_rejection = 0 AND power IS NOT NULL AND quorum >= NULLIF(median.value, 0) * 0.01 THEN 1 ELSE 0 END AS is_meaningful,
    CASE WHEN quorum IS NULL THEN NULL ELSE ROW_NUMBER() OVER (
      PARTITION BY measured.space_id, CASE WHEN quorum IS NULL THEN 1 ELSE 0 END ORDER BY proposal_no DESC) END AS nth
  FROM measured
  LEFT JOIN median ON median.space_id = measured.space_id AND median.measure = 'power'
) AS measured
LEFT JOIN median ON median.space_id = measured.space_id AND median.measure = 'power'
GROUP BY measured.space_id, median.value;

-- The guardrails that are known, each 0 or 1.
DROP TABLE IF EXISTS rail;
CREATE TABLE rail AS
SELECT space_id, AVG(is_there * 1.0) AS guarded
FROM (
  SELECT space_id, is_gated AS is_there FROM space
  UNION ALL SELECT space_id, has_fixed_period FROM space
  UNION ALL SELECT space_id, CASE WHEN guardians >= 2 THEN 1 WHEN guardians IS NOT NULL THEN 0 END FROM space
  UNION ALL SELECT quorums.space_id,
    CASE WHEN is_veto = 1 THEN NULL WHEN COALESCE(space.quorum, latest) = 0 THEN 0
      WHEN COALESCE(space.quorum, latest) >= least THEN 1 WHEN COALESCE(space.quorum, latest) < least THEN 0 END
  FROM quorums JOIN space ON space.space_id = quorums.space_id
) AS rails
WHERE is_there IS NOT NULL
GROUP BY space_id
HAVING COUNT(*) >= 2;

-- The marks of all indicators but PDI's, mapped to their goalposts and limited to 0..1.
DROP TABLE IF EXISTS component_mark;
CREATE TABLE component_mark AS
SELECT space_id, indicator, CASE WHEN position > 1 THEN 1.0 WHEN position < 0 THEN 0.0 ELSE position END AS value
FROM (
  SELECT space_id, 'independence' AS indicator, CASE WHEN members < 3 THEN 1.0 ELSE heads_mean / unclustered_mean END AS position FROM participation
  UNION ALL SELECT space_id, 'loyalty', COALESCE(returning_share, 0) / 0.4 FROM participation
  UNION ALL SELECT space_id, 'breadth', (LN(CASE WHEN value > 1 THEN value ELSE 1 END) - LN(5.0)) / (LN(1000.0) - LN(5.0)) FROM median WHERE measure = 'heads'
  UNION ALL SELECT space_id, 'presence', presence FROM presence
  UNION ALL SELECT space_id, 'effective_voters', LN(value) / LN(50.0) FROM median WHERE measure = 'effective_voters'
  UNION ALL SELECT space_id, 'nakamoto', LN(value * 1.0) / LN(25.0) FROM median WHERE measure = 'nakamoto'
  UNION ALL SELECT space_id, 'top_share', 1 - (value - 0.05) / 0.45 FROM median WHERE measure = 'top_share'
  UNION ALL SELECT space_id, 'quorum', reached FROM quorums
  UNION ALL SELECT space_id, 'cadence', cadence FROM cadence
  UNION ALL SELECT space_id, 'proposers', CASE WHEN authored_proposals >= 2 THEN
    LN(effective_proposers) / LN(CASE WHEN authored_proposals < 10 THEN authored_proposals ELSE 10.0 END) END FROM proposers
  UNION ALL SELECT space_id, 'guardrails', guarded FROM rail
) AS goalposts
WHERE position IS NOT NULL;

DROP TABLE IF EXISTS component;
CREATE TABLE component AS
SELECT frame.space_id, frame.members, frame.attention_sum, frame.effective_proposals,
  CASE WHEN frame.members < 3 AND marks.hpr > 5 THEN 5.0 ELSE marks.hpr END AS hpr, marks.dei,
  (SELECT 10 * SUM(attention * value) / SUM(attention) FROM measured JOIN deliberation ON deliberation.proposal_no = measured.proposal_no
    WHERE measured.space_id = frame.space_id) AS pdi,
  marks.gpi
FROM frame
JOIN (
  SELECT space_id,
    10 * MAX(CASE WHEN indicator = 'independence' THEN value END) * MAX(CASE WHEN indicator = 'presence' THEN value END)
      * (MAX(CASE WHEN indicator = 'loyalty' THEN value END) + MAX(CASE WHEN indicator = 'breadth' THEN value END)) / 2 AS hpr,
    10 * SUM(CASE WHEN indicator IN ('effective_voters', 'nakamoto', 'top_share') THEN value END) / 3 AS dei,
    CASE WHEN SUM(CASE indicator WHEN 'quorum' THEN 0.3 WHEN 'cadence' THEN 0.25 WHEN 'proposers' THEN 0.25 WHEN 'guardrails' THEN 0.2 ELSE 0 END) >= 0.5 - 1e-9
      THEN 10 * SUM(value * CASE indicator WHEN 'quorum' THEN 0.3 WHEN 'cadence' THEN 0.25 WHEN 'proposers' THEN 0.25 WHEN 'guardrails' THEN 0.2 ELSE 0 END)
        / SUM(CASE indicator WHEN 'quorum' THEN 0.3 WHEN 'cadence' THEN 0.25 WHEN 'proposers' THEN 0.25 WHEN 'guardrails' THEN 0.2 ELSE 0 END) END AS gpi
  FROM component_mark
  GROUP BY space_id
) AS marks ON marks.space_id = frame.space_id;
