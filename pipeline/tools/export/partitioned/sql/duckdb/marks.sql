-- Marks: every indicator of every proposal of a frame, as a low and a high end, and the other values of an evidence line.
-- Range: marks, fetched and fields 0..1, found 0..10. Unit: marks.
-- Unknown: NULL for an unknown mark.
-- From: member, proposal, ballot, power_mark, loyalty, deliberated. Makes: measured (a row per proposal), mark (a row per indicator).
CREATE OR REPLACE TABLE measured AS
SELECT member.frame_no, member.space_id, member.proposal_no, member.end_ms, member.power, member.scale, member.attention, author_person_id,
  COALESCE(fetched_votes, 0) AS votes, COALESCE(found, 0.0) AS found, own.top_share, own.majority_voters, own.whale_share, own.gini, own.hhi_points,
  COALESCE(joint.top_share, own.top_share) AS merged_top_share,
  own.breadth, own.effective, own.majority, own.top, COALESCE(joint.breadth, own.breadth) AS merged_breadth,
  COALESCE(joint.effective, own.effective) AS merged_effective, COALESCE(joint.majority, own.majority) AS merged_majority,
  COALESCE(joint.top, own.top) AS merged_top, loyalty.low AS loyalty_low, loyalty.high AS loyalty_high,
  discussion_mark.discussion, period, delay, contested, rationale_low, rationale_high, not_batch_low, not_batch_high,
  CASE WHEN is_quorum_rejection = 1 THEN NULL WHEN quorum = 0 THEN 0.0
    WHEN quorum > 0 AND member.power IS NOT NULL AND scale > 0 THEN LEAST(1.0, quorum / (0.01 * scale)) * LEAST(1.0, GREATEST(0.0, 2 * COALESCE(quorum_power, member.power) / quorum - 1)) END AS quorum_mark,
  CASE WHEN valid_power > 0 THEN CASE WHEN scores_total IS NOT NULL THEN LEAST(1.0, valid_power / scores_total)
    ELSE known_votes * 1.0 / GREATEST(fetched_votes, COALESCE(votes_count, 0)) END ELSE 0.0 END AS fetched_share,
  CASE WHEN fetched_votes > 0 THEN fetched_votes * 1.0 / GREATEST(fetched_votes, COALESCE(votes_count, 0)) ELSE 0.0 END AS votes_share,
  (CASE WHEN author_person_id IS NULL THEN 0 ELSE 1 END + CASE WHEN created_ms IS NULL THEN 0 ELSE 1 END
    + CASE WHEN start_ms IS NULL THEN 0 ELSE 1 END + CASE WHEN proposal.end_ms IS NULL THEN 0 ELSE 1 END
    + CASE WHEN voting_type IS NULL THEN 0 ELSE 1 END + CASE WHEN choices_count IS NULL THEN 0 ELSE 1 END
    + CASE WHEN proposal.discussion IS NULL THEN 0 ELSE 1 END + CASE WHEN scores_total IS NULL THEN 0 ELSE 1 END
    + CASE WHEN votes_count IS NULL THEN 0 ELSE 1 END) / 9.0 AS fields_share
FROM member
JOIN proposal ON proposal.proposal_no = member.proposal_no
LEFT JOIN ballot ON ballot.proposal_no = member.proposal_no
LEFT JOIN power_mark AS own ON own.frame_no = 0 AND own.proposal_no = member.proposal_no
LEFT JOIN power_mark AS joint ON joint.frame_no = member.frame_no AND joint.proposal_no = member.proposal_no
LEFT JOIN loyalty ON loyalty.frame_no = member.frame_no AND loyalty.proposal_no = member.proposal_no
LEFT JOIN deliberated AS discussion_mark ON discussion_mark.proposal_no = member.proposal_no;

CREATE OR REPLACE TABLE mark AS
SELECT frame_no, proposal_no, 'hpr' AS component, 'breadth' AS indicator, LEAST(breadth, merged_breadth) AS low, GREATEST(breadth, merged_breadth) AS high, fetched_share AS part FROM measured
UNION ALL SELECT frame_no, proposal_no, 'hpr', 'loyalty', loyalty_low, loyalty_high, fetched_share * found / 10 FROM measured
UNION ALL SELECT frame_no, proposal_no, 'dei', 'effective', LEAST(effective, merged_effective), GREATEST(effective, merged_effective), fetched_share FROM measured
UNION ALL SELECT frame_no, proposal_no, 'dei', 'majority', LEAST(majority, merged_majority), GREATEST(majority, merged_majority), fetched_share FROM measured
UNION ALL SELECT frame_no, proposal_no, 'dei', 'top', LEAST(top, merged_top), GREATEST(top, merged_top), fetched_share FROM measured
UNION ALL SELECT frame_no, proposal_no, 'pdi', 'discussion', discussion * 1.0, discussion * 1.0, 1.0 FROM measured
UNION ALL SELECT frame_no, proposal_no, 'pdi', 'period', period, period, 1.0 FROM measured
UNION ALL SELECT frame_no, proposal_no, 'pdi', 'delay', delay, delay, 1.0 FROM measured
UNION ALL SELECT frame_no, proposal_no, 'pdi', 'contested', contested, contested, fetched_share FROM measured
UNION ALL SELECT frame_no, proposal_no, 'pdi', 'rationale', rationale_low, rationale_high, fetched_share FROM measured
UNION ALL SELECT frame_no, proposal_no, 'pdi', 'not_batch', not_batch_low, not_batch_high, fetched_share FROM measured
UNION ALL SELECT frame_no, proposal_no, 'gpi', 'quorum', quorum_mark, quorum_mark, 1.0 FROM measured;
