-- Heads: who voted on what, how much each weighs, and how many that makes, before and after clusters are merged.
-- Range: weight 0..1 (1 from a millionth of the power on). Unit: human-equivalents, each by its weight.
-- Gap: where power is unknown every head weighs 1; active_heads NULL where there were proposals in 90 days and no ballot of
-- theirs is held.
-- From: counted, member, human, frame_sum, attended. Makes: entity_share, head_share, heads_on (by frame and proposal), heads_of
-- (by frame: expected heads in five draws, active heads of 90 days).
CREATE OR REPLACE TABLE entity_share ENGINE = MergeTree ORDER BY (proposal_no, entity_no) AS
SELECT proposal_no, entity_no, SUM(share) AS share
FROM counted
WHERE proposal_no IN (SELECT proposal_no FROM member)
GROUP BY proposal_no, entity_no;

-- is_human 0: entities before clustering, only in frames where something is clustered.
CREATE OR REPLACE TABLE head_share ENGINE = MergeTree ORDER BY (frame_no, proposal_no) AS
SELECT 1 AS is_human, member.frame_no AS frame_no, member.proposal_no AS proposal_no, member.attention AS attention,
  CASE WHEN end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END AS is_recent, entity_no AS head_no, share
FROM member
JOIN entity_share ON entity_share.proposal_no = member.proposal_no
WHERE member.frame_no NOT IN (SELECT frame_no FROM human)
UNION ALL
SELECT 1, member.frame_no, member.proposal_no, member.attention,
  CASE WHEN end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) THEN 1 ELSE 0 END, COALESCE(human.human_no, entity_share.entity_no), SUM(share)
FROM member
JOIN entity_share ON entity_share.proposal_no = member.proposal_no
LEFT JOIN human ON human.frame_no = member.frame_no AND human.entity_no = entity_share.entity_no
WHERE member.frame_no IN (SELECT frame_no FROM human)
GROUP BY member.frame_no, member.proposal_no, member.attention, end_ms, at_ms, COALESCE(human.human_no, entity_share.entity_no)
UNION ALL
SELECT 0, member.frame_no, member.proposal_no, member.attention, 0, entity_no, share
FROM member
JOIN entity_share ON entity_share.proposal_no = member.proposal_no
WHERE member.frame_no IN (SELECT frame_no FROM human);

CREATE OR REPLACE TABLE head ENGINE = MergeTree ORDER BY (frame_no, head_no) AS
SELECT is_human, frame_no, head_no, SUM(attention) AS attended, SUM(attention * weight) / SUM(attention) AS weight,
  SUM(CASE WHEN is_recent = 1 THEN attention * weight END) / SUM(CASE WHEN is_recent = 1 THEN attention END) AS recent_weight
FROM (
  SELECT is_human, frame_no, head_no, attention, is_recent,
    CASE WHEN share IS NULL OR share >= 1e-6 THEN 1.0 WHEN share <= 2.5e-7 THEN 0.0 ELSE (share / 1e-6 - 0.25) / 0.75 END AS weight
  FROM head_share
) AS weighed
GROUP BY is_human, frame_no, head_no;

CREATE OR REPLACE TABLE heads_on ENGINE = MergeTree ORDER BY tuple() AS
SELECT head_share.frame_no AS frame_no, head_share.proposal_no AS proposal_no,
  SUM(CASE WHEN head_share.is_human = 1 THEN weight END) AS heads,
  COALESCE(SUM(CASE WHEN head_share.is_human = 0 THEN weight END), SUM(CASE WHEN head_share.is_human = 1 THEN weight END)) AS unclustered_heads
FROM head_share
JOIN head ON head.is_human = head_share.is_human AND head.frame_no = head_share.frame_no AND head.head_no = head_share.head_no
GROUP BY head_share.frame_no, head_share.proposal_no;

CREATE OR REPLACE TABLE heads_of ENGINE = MergeTree ORDER BY tuple() AS
SELECT frame.frame_no AS frame_no, COALESCE(expected_heads, 0) AS expected_heads,
  CASE WHEN recent_members > 0 THEN active_heads WHEN COALESCE(recent_attended, 0) = 0 THEN 0 END AS active_heads
FROM frame
LEFT JOIN (
  SELECT head.frame_no AS frame_no, SUM(weight * (1 - POWER(1 - attended / attention_sum, 5))) AS expected_heads,
    SUM(CASE WHEN recent_weight >= 0.5 THEN 1 ELSE 0 END) AS active_heads
  FROM head
  JOIN frame_sum ON frame_sum.frame_no = head.frame_no
  WHERE is_human = 1
  GROUP BY head.frame_no
) AS own ON own.frame_no = frame.frame_no
LEFT JOIN (
  SELECT frame_no, COUNT(*) AS recent_members FROM member WHERE end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) GROUP BY frame_no
) AS recent ON recent.frame_no = frame.frame_no
LEFT JOIN (
  SELECT frame_no, COUNT(*) AS recent_attended FROM attended WHERE end_ms > at_ms - 90 * CAST(86400000 AS BIGINT) GROUP BY frame_no
) AS recently ON recently.frame_no = frame.frame_no;
