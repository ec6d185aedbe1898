import type { Evidence, WholeMeasures } from "../../snapshots/format/evidence.ts";
import { linesDigest, measuresDigest } from "../../snapshots/format/evidence-digest.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import {
  MARK_IDS,
  type MarkId,
  MEASURE_COLUMNS,
  type MeasureColumns,
  type ProposalLine,
} from "../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import { byComponent } from "../../snapshots/format/value-sets.ts";
import { upstreamTitle } from "../facts/upstream-text.ts";
import type { PowerConcentration } from "../score/components/concentration.ts";
import type { Risk } from "../score/components/risk.ts";
import type { DaoEvidence, ProposalEvidence } from "../score/dao-evidence.ts";
import { type DaoMeasures, weightAt } from "../score/method/measures.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { sortedSum } from "../score/method/statistics.ts";
import type { DaoScore } from "../score/score-measures.ts";
import { nullableTime } from "./scored-dao.ts";

/** Whether a DAO has no evidence file: what that would say is in its line of `unscored.json`. */
export const hasEmptyFrame = ({ measures }: Pick<DaoEvidence, "measures">): boolean =>
  measures.proposals.length === 0;

export function buildEvidence(evidence: DaoEvidence, score: DaoScore): PublishedEvidence {
  const { measures } = evidence;
  const proposals = evidence.proposals.map((proposal) => buildProposalLine(proposal, measures.asOfMs));
  const measured = buildMeasured(measures);
  const [presenceLow, presenceHigh] = score.presence;
  return {
    proposals,
    evidence: {
      ...measured,
      ...(Object.keys(evidence.links).length === 0 ? {} : { links: evidence.links }),
      frame: buildFrame(evidence),
      presence: { low: presenceLow, high: presenceHigh },
      components: buildComponents(score),
      gvs: score.gvs,
      known_share: score.knownShare,
      unscored: score.unscored ?? null,
      gvs_confidence: score.confidence,
      risk: score.risk === undefined ? null : buildRisk(score.risk),
      concentration: buildConcentration(score.concentration),
      completeness_pct: score.completenessPct ?? null,
      index_weight: score.indexWeight,
      not_known: [...score.notKnown],
      totals: totalsOf(proposals),
      measures_sha256: measuresDigest(measured),
      lines_sha256: linesDigest(proposals),
    },
  };
}

/** What is measured of the whole DAO, as it is published, and of what, when and how. */
export function buildMeasured(measures: DaoMeasures) {
  return {
    space_id: measures.spaceId,
    as_of: timestampOf(measures.asOfMs),
    methodology_version: METHODOLOGY.version,
    measures: buildWholeMeasures(measures),
  };
}

function buildWholeMeasures({ fetchedAtMs, authors, ...rest }: DaoMeasures): WholeMeasures {
  const { guardrails, delegation, activeVoterCount, continuities } = rest;
  return {
    fetched_at: nullableTime(fetchedAtMs),
    authors: {
      sum: authors.sum,
      of_proposals: authors.ofProposals,
      of_authors: authors.ofAuthors,
    },
    active_voters: activeVoterCount ?? null,
    continuities: continuities.map((continuity) => ({ ...continuity })),
    guardrails: {
      is_proposing_gated: guardrails.isProposingGated ?? null,
      has_fixed_period: guardrails.hasFixedPeriod ?? null,
      guardians: guardrails.guardiansCount ?? null,
      ...(guardrails.isFlagged ? { is_flagged: true } : {}),
    },
    delegation:
      delegation === undefined
        ? null
        : { hhi_points: delegation.hhiPoints, as_of: timestampOf(delegation.asOfMs) },
  };
}

function buildFrame({ measures, proposals }: DaoEvidence): Evidence["frame"] {
  const weights = measures.proposals.map((member) => weightAt(member, measures.asOfMs));
  const counts = new Map<string, number>();
  for (const reason of measures.excluded.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return {
    known: proposals.length,
    members: weights.length,
    eligible: measures.eligibleCount,
    weight: sortedSum(weights),
    excluded: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The components with their indicators, each with the points that it adds to the low end. */
function buildComponents({ components, presence }: DaoScore): Evidence["components"] {
  return byComponent((key) => {
    const { indicators, ...interval } = components[key];
    const rows = indicators.map(({ id, mark, weight }) => ({
      id,
      low: mark[0],
      high: mark[1],
      weight,
      points: (10 * presence[0] * mark[0]) / indicators.length,
    }));
    return { ...interval, indicators: rows };
  });
}

function buildRisk(risk: Risk): NonNullable<Evidence["risk"]> {
  const { low, point, high } = risk.score;
  return {
    low,
    point,
    high,
    base: risk.base,
    dominance_floor: risk.dominance,
    governance_capture_risk: risk.captureRisk,
    whale_control_pct: risk.whaleControlPct,
    active_voter_count: risk.activeVoterCount ?? null,
    delegate_centralization: risk.delegateCentralization,
    proposal_velocity: risk.proposalVelocity,
    proposals_per_month: risk.proposalsPerMonth,
    checkpoint_voting_pct: risk.checkpointVotingPct ?? null,
  };
}

export function buildConcentration(concentration: PowerConcentration | undefined): Evidence["concentration"] {
  if (concentration === undefined) return null;
  const { majorityVoters, hhiPoints, gini } = concentration;
  const { low, point, high } = majorityVoters;
  const nakamoto = { low, point, high: Number.isFinite(high) ? high : null };
  return { nakamoto, hhi_points: hhiPoints, gini };
}

/** One line of `proposals/<space_id>.ndjson`, with unrounded numbers and without author, voters or wallets. */
function buildProposalLine(proposal: ProposalEvidence, asOfMs: number): ProposalLine {
  const { facts } = proposal;
  // Cleaned again, because titles stored by earlier releases were cleaned by fewer rules.
  const title = upstreamTitle(facts.title);
  return {
    id: facts.proposalId,
    ...(title === undefined ? {} : { title }),
    ...(facts.link === undefined ? {} : { link: facts.link }),
    created_at: nullableTime(facts.created?.atMs),
    start_at: nullableTime(facts.start?.atMs),
    end_at: nullableTime(facts.end?.atMs),
    state: facts.state ?? null,
    scores_state: facts.scoresState ?? null,
    is_flagged: facts.isFlagged,
    is_deleted: facts.isDeleted,
    unit: proposal.unit,
    place: proposal.place,
    ...buildMeasures(proposal, asOfMs),
  };
}

type MarkColumns = Pick<MeasureColumns, `${MarkId}_${"low" | "high"}`>;

/** The measures of a line; all but the first three are of the frame only. */
function buildMeasures({ facts, power, measures }: ProposalEvidence, asOfMs: number): MeasureColumns {
  const concentration = measures?.concentration;
  const ends = measures?.concentrationEnds;
  const mostVoters = ends?.majorityVoters[1] ?? null;
  const marks = MARK_IDS.flatMap((id) => [
    [`${id}_low`, measures?.marks[id]?.[0] ?? null],
    [`${id}_high`, measures?.marks[id]?.[1] ?? null],
  ]);
  return {
    declared_votes: facts.votesCount ?? null,
    declared_power: facts.scoresTotal ?? null,
    power: power ?? null,
    attention: measures?.attention ?? null,
    weight: measures === undefined ? null : weightAt(measures, asOfMs),
    votes: measures?.votes ?? null,
    ...(Object.fromEntries(marks) as MarkColumns),
    loyalty_attention: measures?.loyaltyAttention ?? null,
    top_share: concentration?.topShare ?? null,
    merged_top_share: concentration?.mergedTopShare ?? null,
    whale_share: concentration?.whaleShare ?? null,
    majority_voters: concentration?.majorityVoters ?? null,
    majority_voters_low: ends?.majorityVoters[0] ?? null,
    // Any number of votes may be unknown.
    majority_voters_high: mostVoters === Infinity ? null : mostVoters,
    hhi_points: concentration?.hhiPoints ?? null,
    hhi_points_low: ends?.hhiPoints[0] ?? null,
    hhi_points_high: ends?.hhiPoints[1] ?? null,
    gini: concentration?.gini ?? null,
    gini_low: ends?.gini[0] ?? null,
    gini_high: ends?.gini[1] ?? null,
    quorum: measures?.quorum ?? null,
    quorum_power: measures?.quorumPower ?? null,
    fetched_share: measures?.fetchedShare ?? null,
    fields_share: measures?.fieldsShare ?? null,
  };
}

/** The number of known values of each column, and their sum. */
function totalsOf(lines: readonly ProposalLine[]): Evidence["totals"] {
  const entries = MEASURE_COLUMNS.map((column) => {
    const values = lines.map((line) => line[column]).filter((value) => value !== null);
    const sum = sortedSum(values);
    return [column, { known: values.length, sum: Number.isFinite(sum) ? sum : null }] as const;
  });
  return Object.fromEntries(entries) as Evidence["totals"];
}
