-- Every member with all that is measured of it, its marks for deliberation, and the weighted medians. Made for each day.
DROP TABLE IF EXISTS measured;
CREATE TABLE measured AS
SELECT member.proposal_no, member.space_id, member.proposal_id, member.end_s, member.attention, member.power,
  numbered.quorum, numbered.is_quorum_rejection, numbered.author, numbered.votes_count, numbered.scores_total,
  ballot.fetched_votes, ballot.readable_votes, ballot.final_votes, ballot.fetched_power, ballot.counted_votes,
  heads_on.heads, heads_on.unclustered_heads,
  concentration.effective_voters, concentration.nakamoto, concentration.top_share, concentration.whale_share,
  deliberated.has_discussion_link, deliberated.voting_period_days, deliberated.review_delay_days,
  deliberated.top_choice_share, deliberated.rationale_share, deliberated.elapsed_at_half_power,
  COALESCE(batch.overlapping_votes, 0) AS overlapping_votes, COALESCE(batch.batch_votes, 0) AS batch_votes,
  ((CASE WHEN numbered.author IS NULL THEN 0 ELSE 1 END) + (CASE WHEN numbered.created_s IS NULL THEN 0 ELSE 1 END)
    + (CASE WHEN numbered.start_s IS NULL THEN 0 ELSE 1 END) + 1
    + (CASE WHEN numbered.voting_type IS NULL THEN 0 ELSE 1 END) + (CASE WHEN numbered.choices_count IS NULL THEN 0 ELSE 1 END)
    + (CASE WHEN numbered.discussion IS NULL THEN 0 ELSE 1 END) + (CASE WHEN numbered.scores_total IS NULL THEN 0 ELSE 1 END)
    + (CASE WHEN numbered.votes_count IS NULL THEN 0 ELSE 1 END)) / 9.0 AS fields_known
FROM member
JOIN numbered ON numbered.proposal_no = member.proposal_no
JOIN ballot ON ballot.proposal_no = member.proposal_no
JOIN deliberated ON deliberated.proposal_no = member.proposal_no
LEFT JOIN heads_on ON heads_on.proposal_no = member.proposal_no
LEFT JOIN concentration ON concentration.proposal_no = member.proposal_no
LEFT JOIN batch ON batch.proposal_no = member.proposal_no;

-- The seven marks of PDI, 0 to 1; a gap is NULL.
DROP TABLE IF EXISTS mark;
CREATE TABLE mark AS
SELECT proposal_no, indicator, weight, CASE WHEN position > 1 THEN 1.0 WHEN position < 0 THEN 0.0 ELSE position END AS value
FROM (
  SELECT proposal_no, 'discussion' AS indicator, 0.2 AS weight, has_discussion_link * 1.0 AS position FROM measured
  UNION ALL SELECT proposal_no, 'voting_period', 0.2, (voting_period_days - 1) / 6 FROM measured
  UNION ALL SELECT proposal_no, 'review_delay', 0.1, review_delay_days / 2 FROM measured
  UNION ALL SELECT proposal_no, 'contestedness', 0.15, (1 - top_choice_share) / 0.25 FROM measured
  UNION ALL SELECT proposal_no, 'rationale', 0.1, rationale_share / 0.1 FROM measured
  UNION ALL SELECT proposal_no, 'half_power_time', 0.1, 4 * elapsed_at_half_power * (1 - elapsed_at_half_power) FROM measured
  UNION ALL SELECT proposal_no, 'not_batch', 0.15,
    CASE WHEN overlapping_votes > 0 THEN 1 - batch_votes * 1.0 / overlapping_votes END FROM measured
) AS goalposts
WHERE position IS NOT NULL;

-- Of one proposal, where at least half of the weight is present.
DROP TABLE IF EXISTS deliberation;
CREATE TABLE deliberation AS
SELECT proposal_no, SUM(weight * value) / SUM(weight) AS value
FROM mark
GROUP BY proposal_no
HAVING SUM(weight) >= 0.5 - 1e-9;

-- The smallest value at which the weights, in ascending order of value, reach half of their sum.
DROP TABLE IF EXISTS median;
CREATE TABLE median AS
SELECT space_id, measure, MIN(value) AS value
FROM (
  SELECT space_id, measure, value, SUM(weight) OVER (PARTITION BY space_id, measure) AS total,
    SUM(weight) OVER (PARTITION BY space_id, measure ORDER BY value, weight ROWS UNBOUNDED PRECEDING) AS reached
  FROM (
    SELECT space_id, 'heads' AS measure, heads AS value, attention AS weight FROM measured
    UNION ALL SELECT space_id, 'effective_voters', effective_voters, attention FROM measured WHERE effective_voters IS NOT NULL
    UNION ALL SELECT space_id, 'nakamoto', nakamoto, attention FROM measured WHERE nakamoto IS NOT NULL
    UNION ALL SELECT space_id, 'top_share', top_share, attention FROM measured WHERE top_share IS NOT NULL
    UNION ALL SELECT space_id, 'whale_share', whale_share, attention FROM measured WHERE whale_share IS NOT NULL
    UNION ALL SELECT space_id, 'power', power, attention FROM measured WHERE power IS NOT NULL
  ) AS columns_of_members
) AS inflow
WHERE reached >= total / 2 - total * 1e-12
GROUP BY space_id, measure;
