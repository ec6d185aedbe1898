import type { Evidence, WholeMeasures } from "../../snapshots/format/evidence.ts";
import { linesDigest, measuresDigest } from "../../snapshots/format/evidence-digest.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import {
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
import { PROPOSAL_MEASURES, publishMeasures, RISK_MEASURES } from "./measures.ts";
import { nullableTime } from "./scored-dao.ts";

/** Whether a DAO has no evidence file: what that would say is in its line of `unscored.json`. */
export const hasEmptyFrame = ({ measures }: Pick<DaoEvidence, "measures">): boolean =>
  measures.proposals.length === 0;

/** Builds the evidence of one DAO, scored or not, and its proposal lines. */
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
  type Factors = Omit<NonNullable<Evidence["risk"]>, "low" | "point" | "high" | "base" | "dominance_floor">;
  return {
    low,
    point,
    high,
    base: risk.base,
    dominance_floor: risk.dominance,
    ...publishMeasures<Factors, Risk>(RISK_MEASURES, risk),
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
    ...publishMeasures<MeasureColumns, { asOfMs: number } & ProposalEvidence>(PROPOSAL_MEASURES, {
      ...proposal,
      asOfMs,
    }),
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
