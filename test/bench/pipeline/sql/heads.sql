-- Heads: who voted on what, how much each weighs, and how many that makes (methodology §1, §2). Made for each day.

-- Shares by head. is_human 0: entities before clustering, only where something is clustered.
DROP TABLE IF EXISTS head_share;
CREATE TABLE head_share AS
SELECT 1 AS is_human, member.space_id, member.proposal_no, member.attention, member.end_s,
  COALESCE(human.human_no, counted.entity_no) AS head_no, SUM(counted.share) AS share
FROM member
JOIN counted ON counted.proposal_no = member.proposal_no
LEFT JOIN human ON human.space_id = member.space_id AND human.entity_no = counted.entity_no
GROUP BY member.space_id, member.proposal_no, member.attention, member.end_s, COALESCE(human.human_no, counted.entity_no)
UNION ALL
SELECT 0, member.space_id, member.proposal_no, member.attention, member.end_s, counted.entity_no, SUM(counted.share)
FROM member
JOIN counted ON counted.proposal_no = member.proposal_no
WHERE member.space_id IN (SELECT space_id FROM human)
GROUP BY member.space_id, member.proposal_no, member.attention, member.end_s, counted.entity_no;

-- Head weight g, Σω of the proposals voted on, and both over the last 90 days alone.
DROP TABLE IF EXISTS head;
CREATE TABLE head AS
SELECT is_human, space_id, head_no, SUM(attention) AS attended, SUM(attention * weight) / SUM(attention) AS weight,
  SUM(CASE WHEN is_recent = 1 THEN attention * weight END) / SUM(CASE WHEN is_recent = 1 THEN attention END) AS recent_weight
FROM (
  SELECT is_human, space_id, head_no, attention,
    CASE WHEN share IS NULL OR share >= 1e-6 THEN 1.0 WHEN share <= 2.5e-7 THEN 0.0 ELSE (share / 1e-6 - 0.25) / 0.75 END AS weight,
    CASE WHEN end_s > as_of_s - 90 * 86400 THEN 1 ELSE 0 END AS is_recent
  FROM head_share
  CROSS JOIN moment
) AS weighed
GROUP BY is_human, space_id, head_no;

-- H_p and V_p: heads on each proposal.
DROP TABLE IF EXISTS heads_on;
CREATE TABLE heads_on AS
SELECT head_share.proposal_no,
  SUM(CASE WHEN head_share.is_human = 1 THEN head.weight END) AS heads,
  COALESCE(SUM(CASE WHEN head_share.is_human = 0 THEN head.weight END),
    SUM(CASE WHEN head_share.is_human = 1 THEN head.weight END)) AS unclustered_heads
FROM head_share
JOIN head ON head.is_human = head_share.is_human AND head.space_id = head_share.space_id AND head.head_no = head_share.head_no
GROUP BY head_share.proposal_no;

-- H(5): heads expected in five draws; and the active ones.
DROP TABLE IF EXISTS heads_of;
CREATE TABLE heads_of AS
SELECT head.space_id, SUM(weight * (1 - POWER(1 - attended / attention_sum, 5))) AS expected_heads,
  SUM(CASE WHEN recent_weight >= 0.5 THEN 1 ELSE 0 END) AS active_heads
FROM head
JOIN frame ON frame.space_id = head.space_id
WHERE is_human = 1
GROUP BY head.space_id;
