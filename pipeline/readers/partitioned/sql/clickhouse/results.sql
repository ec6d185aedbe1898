-- Results: the scores as of the version in one row a DAO, and every known proposal with all that was measured of it.
-- Range: as each measure. Unit: as each measure, nothing is rounded.
-- Gap: NULL, with the reason in the column that ends in _gap.
-- From: all of the above. Makes: dao_score, indicator_row, proposal_measure.
CREATE OR REPLACE TABLE indicator_row ENGINE = MergeTree ORDER BY tuple() AS
SELECT rows_of.space_id AS space_id, component, indicator, role, raw, position, value, weight, effective_weight
FROM (
  SELECT moment_no, space_id, 'hpr' AS component, indicator, role, raw, position, value, weight, effective_weight FROM hpr_row
  UNION ALL SELECT moment_no, space_id, 'dei', indicator, role, raw, position, value, weight, effective_weight FROM dei_row
  UNION ALL SELECT moment_no, space_id, 'pdi', indicator, role, raw, position, value, weight, effective_weight FROM pdi_row
  UNION ALL SELECT moment_no, space_id, 'gpi', indicator, role, raw, position, value, weight, effective_weight FROM gpi_row
) AS rows_of
JOIN moment ON moment.moment_no = rows_of.moment_no
WHERE is_current = 1;

CREATE OR REPLACE TABLE dao_score ENGINE = MergeTree ORDER BY tuple() AS
SELECT vitality.space_id AS space_id, gvs, gvs_gap, hpr, hpr_gap, hpr_before, dei, dei_gap, dei_before, pdi, pdi_gap, pdi_before, gpi, gpi_gap, gpi_before,
  CASE WHEN COALESCE(places.eligible, 0) >= 20 THEN 'high' ELSE 'low' END AS gvs_confidence,
  risk_score, risk.gap AS risk_gap, base AS risk_base, dominance_floor, smallness_floor, governance_capture_risk, whale_control_pct,
  risk.active_voters AS active_voters, delegate_centralization, proposal_velocity, proposals_per_month, checkpoint_voting_pct, trend.trend AS risk_trend,
  completeness_pct, votes AS completeness_votes, final_share AS completeness_final, reconciled AS completeness_reconciled,
  fields AS completeness_fields, freshness, COALESCE(places.known, 0) AS known, members,
  COALESCE(places.missing, 0) AS missing, COALESCE(places.attended, 0) AS attended, COALESCE(places.eligible, 0) AS eligible, attention_sum, effective_proposals, evidence_share,
  COALESCE(heads_mean, 0.0) AS heads_mean, COALESCE(unclustered_mean, 0.0) AS unclustered_heads_mean, heads_of.expected_heads AS expected_heads,
  assessed.is_assessed AS is_coordination_assessed, COALESCE(clusters, 0) AS clusters, COALESCE(clustered_wallets, 0) AS clustered_wallets,
  effective_proposers, CASE WHEN delegate_summary.as_of_ms IS NOT NULL THEN hhi_points END AS delegation_hhi_points, delegate_summary.as_of_ms AS delegation_as_of_ms,
  freeze_attention_sum, freeze_completeness_pct, COALESCE(is_member, 0) AS is_index_member, rank, ranking.total AS ranked, category_rank, category_total, delta_24h
FROM vitality
JOIN moment ON moment.moment_no = vitality.moment_no
JOIN risk ON risk.moment_no = vitality.moment_no AND risk.space_id = vitality.space_id
JOIN completeness ON completeness.moment_no = vitality.moment_no AND completeness.space_id = vitality.space_id
JOIN heads_of ON heads_of.frame_no = vitality.frame_no
JOIN assessed ON assessed.frame_no = vitality.frame_no
JOIN delegate_summary ON delegate_summary.space_id = vitality.space_id
JOIN trend ON trend.space_id = vitality.space_id
LEFT JOIN (
  SELECT frame_no, COUNT(*) AS known, SUM(CASE WHEN place = 'BALLOT_MISSING' THEN 1 ELSE 0 END) AS missing,
    SUM(CASE WHEN attention > 0 THEN 1 ELSE 0 END) AS attended, SUM(CASE WHEN attention > 0 OR place = 'TOO_OLD' THEN 1 ELSE 0 END) AS eligible
  FROM placed
  GROUP BY frame_no
) AS places ON places.frame_no = vitality.frame_no
LEFT JOIN participation ON participation.frame_no = vitality.frame_no
LEFT JOIN cluster_count ON cluster_count.frame_no = vitality.frame_no
LEFT JOIN proposers ON proposers.frame_no = vitality.frame_no
LEFT JOIN index_member ON index_member.moment_no = vitality.moment_no AND index_member.space_id = vitality.space_id
LEFT JOIN ranking ON ranking.space_id = vitality.space_id
LEFT JOIN gvs_change ON gvs_change.space_id = vitality.space_id
WHERE is_current = 1;

-- What is measured of attended proposals alone, of members alone, or of every known one, as in the published lines.
CREATE OR REPLACE TABLE proposal_measure ENGINE = MergeTree ORDER BY tuple() AS
SELECT placed.space_id AS space_id, proposal.proposal_id AS proposal_id, place, placed.power AS power, placed.attention AS attention, ballot.fetched_votes AS fetched_votes, ballot.fetched_power AS fetched_power,
  CASE WHEN attended.attention > 0 THEN ballot.readable_votes END AS readable_votes, CASE WHEN attended.attention > 0 THEN ballot.final_votes END AS final_votes,
  CASE WHEN attended.attention > 0 THEN ballot.counted_votes END AS counted_votes, CASE WHEN attended.attention > 0 THEN ballot.timed_votes END AS timed_votes,
  CASE WHEN attended.attention > 0 THEN proposal.quorum END AS quorum, CASE WHEN attended.attention > 0 THEN deliberated.has_discussion_link END AS has_discussion_link,
  CASE WHEN attended.attention > 0 THEN deliberated.voting_period_days END AS voting_period_days,
  CASE WHEN attended.attention > 0 THEN deliberated.review_delay_days END AS review_delay_days,
  CASE WHEN attended.attention > 0 THEN deliberated.top_choice_share END AS top_choice_share,
  CASE WHEN attended.attention > 0 THEN deliberated.rationale_share END AS rationale_share,
  CASE WHEN attended.attention > 0 THEN deliberated.elapsed_at_half_power END AS elapsed_at_half_power,
  CASE WHEN measured.proposal_no IS NOT NULL THEN measured.overlapping_votes END AS overlapping_votes,
  CASE WHEN measured.proposal_no IS NOT NULL THEN measured.batch_votes END AS batch_votes, deliberation.value AS deliberation,
  measured.heads AS heads, measured.unclustered_heads AS unclustered_heads, measured.effective_voters AS effective_voters, measured.nakamoto AS nakamoto, measured.top_share AS top_share, measured.whale_share AS whale_share,
  diagnosed.gini AS gini, diagnosed.entropy_bits AS entropy_bits, diagnosed.banzhaf_top AS banzhaf_top
FROM placed
JOIN frame_of ON frame_of.frame_no = placed.frame_no
JOIN moment ON moment.moment_no = frame_of.moment_no
JOIN proposal ON proposal.proposal_no = placed.proposal_no
JOIN deliberated ON deliberated.proposal_no = placed.proposal_no
LEFT JOIN ballot ON ballot.proposal_no = placed.proposal_no
LEFT JOIN attended ON attended.frame_no = placed.frame_no AND attended.proposal_no = placed.proposal_no
LEFT JOIN measured ON measured.frame_no = placed.frame_no AND measured.proposal_no = placed.proposal_no
LEFT JOIN deliberation ON deliberation.frame_no = placed.frame_no AND deliberation.proposal_no = placed.proposal_no
LEFT JOIN diagnosed ON diagnosed.frame_no = placed.frame_no AND diagnosed.proposal_no = placed.proposal_no
WHERE is_current = 1;
