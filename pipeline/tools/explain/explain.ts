import type { Evidence, IndicatorRow, Interval } from "../../../snapshots/format/evidence.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { Ranking } from "../../../snapshots/format/rankings.ts";
import {
  COMPONENT_KEYS,
  type ComponentKey,
  labelledPoints,
  labelOf,
  riskLevelOf,
} from "../../../snapshots/format/value-sets.ts";
import { readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { evidenceOfLines } from "../../documents/read-evidence.ts";
import { chooseExplained, type VersionOptions } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { COMPONENT_TEXTS, indicatorTexts } from "../../score/method/indicators.ts";
import type { ExclusionReason } from "../../score/method/measures.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { type DaoScore, scoreMeasures } from "../../score/score-measures.ts";
import { absenceOf, concentrationTexts, votesKnownUntil } from "../evidence-texts.ts";
import { readExplained, refuseUnknown } from "../read-explained.ts";
import { POINTS_SHOWN_MIN, spell } from "../spell.ts";

interface ExplainOptions extends VersionOptions {
  readonly spaceId: string;
  readonly component: ComponentKey | undefined;
}

export type Story = Awaited<ReturnType<typeof runExplain>>["story"];

/** `govdata explain`: why a DAO has its score, from published files only, and the evidence. Throws `PipelineFailure`. */
export async function runExplain(settings: Settings, request: ExplainOptions) {
  const chosen = await chooseExplained(settings, request);
  const { spaceId, component } = request;
  return withStore(() => {
    const documents = readPublishedDocuments(settings.snapshotsDirectory, chosen.version);
    const unscored = documents.unscored().find((dao) => dao.space_id === spaceId);
    const published = readExplained(chosen, spaceId, unscored);
    if (published === undefined) return refuseUnknown(spaceId, documents);
    const { evidence, proposals } = published;
    const scored = documents.daos.find((dao) => dao.space_id === spaceId);
    const dao = scored ?? unscored;
    const ends = proposals.flatMap((line) => (line.place === "MEMBER" ? (line.end_at ?? []) : []));
    const story = {
      version: chosen.version,
      isCurrent: chosen.isCurrent,
      asOf: evidence.as_of,
      methodologyVersion: evidence.methodology_version,
      spaceId,
      name: dao?.name ?? spaceId,
      category: dao?.category ?? "unknown",
      gvs: labelled(evidence.gvs),
      unscored: unscored?.reason,
      rank: scored && { place: scored.rank, total: documents.daos.length },
      component,
      components: explainComponents(evidence),
      frame: { ...evidence.frame, firstEndedAt: ends.at(0), lastEndedAt: ends.at(-1) },
      proposals: movingProposals(published, component),
      leftOut: leftOut(proposals),
      risk: explainRisk(evidence),
      certainty: explainCertainty(evidence, documents.rankings.get(spaceId)),
    };
    return { story, published };
  });
}

const labelled = ({ low, point, high }: Interval) => ({
  low,
  point,
  high,
  label: labelOf(roundTo(labelledPoints({ low, high }), SCORE_DECIMALS)),
});

/** Risk as the larger of two numbers; `undefined` if it is not assessed. */
export function explainRisk({ risk }: Evidence) {
  if (risk === null) return undefined;
  return {
    low: risk.low,
    point: risk.point,
    high: risk.high,
    level: riskLevelOf(roundTo(risk.point, RISK_DECIMALS)),
    /** The two numbers whose maximum is the point, the larger first. */
    sources: [
      { name: "decentralisation and vitality", points: risk.base },
      { name: "one voter decides alone", points: risk.dominance_floor },
    ].toSorted((a, b) => b.points - a.points),
    factors: [
      { name: "capture by few voters", value: risk.governance_capture_risk },
      { name: "power of the four largest voters", value: spell.percent(risk.whale_control_pct) },
      { name: "active voters in 90 days", value: spell.known(risk.active_voter_count, String) },
      { name: "concentration of delegated power", value: risk.delegate_centralization },
      {
        name: "proposals a month",
        value: `${spell.tenth(risk.proposals_per_month)} (${spell.word(risk.proposal_velocity)})`,
      },
      { name: "power cast in batches", value: spell.known(risk.checkpoint_voting_pct, spell.percent) },
    ],
  };
}

function explainIndicator(row: IndicatorRow, { presence, not_known: notKnown }: Evidence, parts: number) {
  return {
    ...row,
    ...indicatorTexts(row.id),
    isKnown: !notKnown.includes(row.id),
    /** The most points of the component possible; `points` are those at its low end. */
    pointsMost: (10 * presence.high) / parts,
    /** Points lost for certain. */
    cost: (10 * presence.high * (1 - row.high)) / parts,
  };
}

export function explainComponents(evidence: Evidence) {
  return COMPONENT_KEYS.map((key) => {
    const { indicators: rows, ...score } = evidence.components[key];
    const weight = METHODOLOGY.components.weights[key];
    const indicators = rows.map((row) => explainIndicator(row, evidence, rows.length));
    const given = indicators.reduce((sum, { points }) => sum + points, 0);
    const [costliest] = indicators.toSorted((a, b) => b.cost - a.cost);
    return {
      key,
      name: COMPONENT_TEXTS[key].name,
      asks: COMPONENT_TEXTS[key].asks,
      weight,
      score: labelled(score),
      indicators,
      /** The part of the point beyond the indicators' low ends: halfway to the high end, on a logarithmic scale. */
      notKnown: score.point - given,
      /** The effect on the gvs of one more point of the component. */
      gvsPerPoint: (weight * (1 + evidence.gvs.point)) / (1 + score.point),
      costliest: costliest !== undefined && costliest.cost > POINTS_SHOWN_MIN ? costliest : undefined,
    };
  });
}

/** The ranks over all single changes of a weight by a quarter, and the weight with the largest effect, if any. */
function explainWeights(weights: Ranking["weights"]) {
  const spread = ({ less, more }: (typeof weights)[number]) => Math.abs(less - more);
  const [most] = weights.toSorted((a, b) => spread(b) - spread(a));
  const ranks = weights.flatMap(({ less, more }) => [less, more]);
  return {
    best: Math.min(...ranks),
    worst: Math.max(...ranks),
    most: most === undefined || spread(most) === 0 ? undefined : most,
  };
}

/** The certainty of a DAO's scores, the completeness of its data, and what is unknown. */
export function explainCertainty(evidence: Evidence, ranking: Ranking | undefined) {
  return {
    completenessPct: evidence.completeness_pct ?? undefined,
    knownShare: evidence.known_share,
    presence: evidence.presence,
    /** Why presence is below 1, as the beginning of a sentence; `undefined` if it is not. */
    absence: absenceOf(evidence),
    /** A fetch may have seen more than the scores take into account. */
    knownUntil: votesKnownUntil(evidence),
    /** For scored DAOs: the ranks that all intervals allow. */
    rank: ranking && { best: ranking.best, worst: ranking.worst },
    weights: ranking && explainWeights(ranking.weights),
    notKnown: evidence.not_known.map((id) => ({ id, ...indicatorTexts(id) })),
    concentration: concentrationTexts(evidence.concentration),
  };
}

const { horizonDays, attentionFloor } = METHODOLOGY.frame;

/** Why a proposal is not in the frame; does not compile if a reason is missing. */
const PLACE_SENTENCES: Readonly<Record<ExclusionReason, string>> = {
  END_UNKNOWN: "the source does not report when the vote ended",
  NOT_ENDED: "the vote had not ended",
  STATE_OPEN: "the source reports it as still open",
  NOT_FINAL: "the source had not finished counting it",
  CANCELLED: "cancelled by the governor",
  FLAGGED: "flagged as spam by the source",
  DELETED: "deleted at the source",
  TOO_OLD: `ended more than ${horizonDays} days before`,
  IGNORED: `cast power is less than ${100 * attentionFloor} % of what is usual there`,
  OTHER_VOTERS:
    "hardly any voter of the last votes before took part in the first ones under its voting strategies",
};

const SHOWN = 5;
const EXAMPLES = 2;

/** The proposals that move a score most, by default the gvs; the loyalty of the others stays as measured. */
function movingProposals({ evidence, proposals }: PublishedEvidence, key: ComponentKey | undefined) {
  const { measures } = evidenceOfLines(evidence, proposals);
  const pointOf = (score: DaoScore) => (key === undefined ? score.gvs : score.components[key]).point;
  const whole = pointOf(scoreMeasures(measures));
  const lines = new Map(proposals.map((line) => [line.id, line]));
  const all = measures.proposals.flatMap((gone) => {
    const line = lines.get(gone.proposalId);
    if (line === undefined) return [];
    const others = measures.proposals.filter((other) => other !== gone);
    return [
      {
        id: gone.proposalId,
        title: line.title,
        endedAt: line.end_at ?? undefined,
        weight: line.weight ?? 0,
        /** The score with this proposal minus the score without it. */
        lift: whole - pointOf(scoreMeasures({ ...measures, proposals: others })),
        topShare: line.top_share ?? undefined,
        majorityVoters: line.majority_voters ?? undefined,
        fetchedShare: gone.fetchedShare,
        marks: gone.marks,
      },
    ];
  });
  // Later ones first among equals, as they are more relevant now.
  return all
    .toReversed()
    .toSorted((a, b) => Math.abs(b.lift) - Math.abs(a.lift))
    .slice(0, SHOWN);
}

/** Proposals outside the frame: reasons by frequency, each with its latest proposals. */
export function leftOut(proposals: readonly ProposalLine[]) {
  const byReason = new Map<ExclusionReason, string[]>();
  for (const { place, id } of proposals) {
    if (place === "MEMBER") continue;
    const ids = byReason.get(place) ?? [];
    ids.push(id);
    byReason.set(place, ids);
  }
  return [...byReason]
    .map(([reason, ids]) => ({
      reason,
      sentence: PLACE_SENTENCES[reason],
      count: ids.length,
      examples: ids.slice(-EXAMPLES).reverse(),
    }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
}
