-- Members of every frame with all that is measured of them, and their weighted medians.
-- Range: as each measure. Unit: proposals, weighted by attention.
-- Gap: NULL each by itself; no row in median where nothing is known.
-- From: member, proposal, ballot, deliberated, heads_on, concentration, batch. Makes: measured, median.
-- A median is the smallest value at which the weights, in ascending order of value, reach half of their sum.
CREATE OR REPLACE TABLE measured AS
SELECT member.frame_no, member.proposal_no, member.end_ms, member.attention, member.power, proposal.quorum,
  proposal.is_quorum_rejection, proposal.author_person_id, proposal.votes_count, proposal.scores_total,
  ballot.fetched_votes, ballot.readable_votes, ballot.final_votes, ballot.fetched_power, ballot.counted_votes, ballot.timed_votes,
  heads_on.heads, heads_on.unclustered_heads,
  concentration.effective_voters, concentration.nakamoto, concentration.top_share, concentration.whale_share,
  deliberated.has_discussion_link, deliberated.voting_period_days, deliberated.review_delay_days,
  deliberated.top_choice_share, deliberated.rationale_share, deliberated.elapsed_at_half_power,
  COALESCE(batch.overlapping_votes, 0) AS overlapping_votes, COALESCE(batch.batch_votes, 0) AS batch_votes
FROM member
JOIN proposal ON proposal.proposal_no = member.proposal_no
JOIN ballot ON ballot.proposal_no = member.proposal_no
JOIN deliberated ON deliberated.proposal_no = member.proposal_no
LEFT JOIN heads_on ON heads_on.frame_no = member.frame_no AND heads_on.proposal_no = member.proposal_no
LEFT JOIN concentration ON concentration.frame_no = member.frame_no AND concentration.proposal_no = member.proposal_no
LEFT JOIN batch ON batch.frame_no = member.frame_no AND batch.proposal_no = member.proposal_no;

CREATE OR REPLACE TABLE median AS
SELECT frame_no, measure, MIN(value) AS value
FROM (
  SELECT frame_no, measure, value, SUM(weight) OVER (PARTITION BY frame_no, measure) AS total,
    SUM(weight) OVER (PARTITION BY frame_no, measure ORDER BY value, weight ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS reached
  FROM (
    SELECT frame_no, 'heads' AS measure, heads AS value, attention AS weight FROM measured
    UNION ALL SELECT frame_no, 'effective_voters', effective_voters, attention FROM measured
    UNION ALL SELECT frame_no, 'nakamoto', nakamoto * 1.0, attention FROM measured
    UNION ALL SELECT frame_no, 'top_share', top_share, attention FROM measured
    UNION ALL SELECT frame_no, 'whale_share', whale_share, attention FROM measured
    UNION ALL SELECT frame_no, 'power', power, attention FROM measured
  ) AS columns_of_members
  WHERE value IS NOT NULL
) AS inflow
WHERE reached >= total / 2 - total * 1e-12
GROUP BY frame_no, measure;
