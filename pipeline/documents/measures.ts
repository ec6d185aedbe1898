import type { Evidence, WholeMeasures } from "../../snapshots/format/evidence.ts";
import type { MeasureColumn, ProposalLine } from "../../snapshots/format/proposal-line.ts";
import type { ScoredRisk } from "../score/components/risk.ts";
import type { DaoEvidence, ProposalEvidence } from "../score/dao-evidence.ts";
import type { Concentration, DaoMeasures } from "../score/method/measures.ts";
import type { METHODOLOGY } from "../score/method/methodology.ts";

/** One published measure: where the scorers have it, and all that columns, schemas and dictionaries say of it. */
export interface Measure {
  readonly name: string;
  /** The part of what was measured that has it, and its key there. */
  readonly part: string;
  readonly key: string;
  /** Whether it may be unknown where its part is known. */
  readonly isOptional: boolean;
  readonly type: "string" | "integer" | "number" | "boolean";
  /** What one of it is; empty where it counts and measures nothing. */
  readonly unit: string;
  readonly description: string;
}

type Row = Omit<Measure, "name">;
/** `part.key`, and with a question mark where it may be unknown. */
type Path<Parts> = {
  [Part in keyof Parts & string]: `${Part}.${keyof NonNullable<Parts[Part]> & string}${"" | "?"}`;
}[keyof Parts & string];
interface RowsOf<Parts> {
  count(path: Path<Parts>, unit: string, description: string): Row;
  amount(path: Path<Parts>, unit: string, description: string): Row;
  flag(path: Path<Parts>, description: string): Row;
  word(path: Path<Parts>, description: string): Row;
}

/** A table of measures by their published names, each found in one of these parts. */
function tableOf<Name extends string, Parts>(
  make: (rows: RowsOf<Parts>) => Readonly<Record<Name, Row>>,
): readonly Measure[] {
  const row = (type: Measure["type"], path: Path<Parts>, unit: string, description: string): Row => {
    const [part = "", key = ""] = path.replace("?", "").split(".");
    return { part, key, isOptional: path.endsWith("?"), type, unit, description };
  };
  const rows = make({
    count: (path, unit, description) => row("integer", path, unit, description),
    amount: (path, unit, description) => row("number", path, unit, description),
    flag: (path, description) => row("boolean", path, "", description),
    word: (path, description) => row("string", path, "", description),
  });
  return Object.entries<Row>(rows).map(([name, row]) => ({ name, ...row }));
}

/** What was measured, by published names; `null` where it is not known. */
export function publishMeasures<Published>(
  measures: readonly Measure[],
  parts: { readonly [part: string]: object | undefined },
): Published {
  const published: Record<string, unknown> = {};
  for (const { name, part, key } of measures) {
    const from = parts[part];
    published[name] = from === undefined ? null : (Reflect.get(from, key) ?? null);
  }
  return published as Published;
}

/**
 * What was measured of one part, read back. A measure that must be known and is not there is read as nothing, not as
 * unknown: published again, it differs.
 */
export function readMeasures<Part>(measures: readonly Measure[], part: string, published: object): Part {
  const read: Record<string, unknown> = {};
  for (const { name, part: own, key, type, isOptional } of measures) {
    if (own !== part) continue;
    const nothing = type === "boolean" ? false : 0;
    read[key] = Reflect.get(published, name) ?? (isOptional ? undefined : nothing);
  }
  return read as Part;
}

/** Where the measures of a proposal come from. */
export type ProposalParts = Pick<
  ProposalEvidence,
  "facts" | "held" | "measures" | "ballot" | "member" | "diagnostics"
> & {
  /** Of a member, apart: it is known whole or not at all. */
  readonly concentration: Concentration | undefined;
  /** Of any known proposal, but for the mark of deliberation, which members have. */
  readonly own: Pick<ProposalEvidence, "power" | "attention"> & { readonly deliberation: number | undefined };
};

/** What is measured of a proposal, in the columns of its line. */
export const PROPOSAL_MEASURES = tableOf<MeasureColumn, ProposalParts>(({ count, amount, flag }) => ({
  declared_votes: count("facts.votesCount?", "votes", "What the source declares."),
  declared_power: amount("facts.scoresTotal?", "power", "What the source declares."),
  fetched_votes: count("held.fetchedCount", "votes", "What was fetched."),
  fetched_power: amount("held.fetchedPower?", "power", "What was fetched."),
  readable_votes: count("ballot.readableVotes", "votes", "Fetched votes whose choice can be read."),
  final_votes: count("ballot.finalVotes", "votes", "Fetched votes whose power is final."),
  counted_votes: count("ballot.countedVotes", "votes", "Valid votes, the last of each voter, without dust."),
  timed_votes: count("ballot.timedVotes", "votes", "Counted votes whose time is known."),
  fields_known: count(
    "measures.fieldsKnown",
    "fields",
    "How many are known of nine: author, created, start, end, type, choices, discussion, scores_total, votes.",
  ),
  power: amount(
    "own.power?",
    "power",
    "What counts as cast: the power that the source declares, or else the sum of all fetched votes.",
  ),
  attention: amount(
    "own.attention?",
    "share",
    "How much of the usual power it drew: its weight in every mean.",
  ),
  has_author: flag("measures.hasAuthor", "Whether its author is known."),
  quorum: amount("measures.quorum?", "power", "Power that it needs."),
  is_quorum_rejection: flag("measures.isQuorumRejection", "Whether its quorum is a veto."),
  has_discussion_link: flag("measures.hasDiscussionLink?", "Whether it has a valid link to a discussion."),
  voting_period_days: amount("measures.votingPeriodDays?", "days", "From start to end."),
  review_delay_days: amount("measures.reviewDelayDays?", "days", "From creation to start."),
  top_choice_share: amount(
    "measures.topChoiceShare?",
    "share",
    "Power of the strongest choice, of the counted votes' power.",
  ),
  rationale_share: amount("measures.rationaleShare?", "share", "Counted votes with a reason."),
  elapsed_at_half_power: amount(
    "measures.elapsedAtHalfPower?",
    "share",
    "Part of the vote that had passed with half of the power of its timed votes in.",
  ),
  overlapping_votes: count(
    "member.overlappingVotes",
    "votes",
    "Timed votes cast while a proposal that ended before this one, with attention and a ballot, was open too.",
  ),
  batch_votes: count(
    "member.batchVotes",
    "votes",
    "Of these, within a minute of the same wallet's vote on such a proposal.",
  ),
  deliberation: amount("own.deliberation?", "share", "Mean mark of what is known of its deliberation."),
  heads: amount(
    "member.heads",
    "heads",
    "Heads by weight, a mean over the frame, after likely coordinated wallets were joined.",
  ),
  unclustered_heads: amount("member.unclusteredHeads", "heads", "Heads by weight before that."),
  effective_voters: amount(
    "concentration.effectiveVoters",
    "heads",
    "How many equal voters its shares of power are worth.",
  ),
  nakamoto: count("concentration.nakamoto", "heads", "Fewest heads that together hold more than half."),
  top_share: amount(
    "concentration.topShare",
    "share",
    "Share of the strongest head, of the power of all valid votes.",
  ),
  whale_share: amount("concentration.whaleShare", "share", "Joint share of the four strongest heads."),
  gini: amount(
    "diagnostics.gini",
    "share",
    "Inequality among the heads, dust left out; reported, never scored.",
  ),
  entropy_bits: amount("diagnostics.entropyBits", "bits", "Entropy of the shares; reported, never scored."),
  banzhaf_top: amount(
    "diagnostics.banzhafTop?",
    "share",
    "Banzhaf index of the strongest head; reported, never scored.",
  ),
}));

/** What is measured of the DAO as a whole in one number, beside its rules, its delegation and its index. */
export type ScalarMeasures = Omit<WholeMeasures, "guardrails" | "delegation" | "index_freeze">;

/** What is measured of the DAO as a whole. */
export const WHOLE_MEASURES = tableOf<keyof ScalarMeasures, Pick<DaoEvidence, "measures" | "clusters">>(
  ({ count, amount, flag }) => ({
    is_fetched: flag("measures.isFetched", "Whether it was ever fetched whole."),
    freshness: amount("measures.freshness", "share", "How fresh the facts are."),
    expected_heads: amount("measures.expectedHeads", "heads", "Heads that a proposal can expect."),
    is_coordination_assessed: flag(
      "measures.isCoordinationAssessed",
      "Whether there was enough to look for coordination.",
    ),
    clusters: count("clusters.clusters", "clusters", "Likely coordinated wallets."),
    clustered_wallets: count("clusters.wallets", "wallets", "Wallets in them."),
    active_voters: count("measures.activeVoterCount?", "heads", "Active heads."),
    effective_proposers: amount(
      "measures.effectiveProposers?",
      "persons",
      "By shares of attention, entities merged.",
    ),
  }),
);

type FrameParts = Pick<DaoEvidence, "measures" | "scored" | "proposals"> &
  Pick<DaoMeasures, "members" | "missing" | "attended"> &
  Pick<DaoEvidence["scored"], "participation">;

/** The frame that scores rest on, and how far it carries. */
export const FRAME_MEASURES = tableOf<Exclude<keyof Evidence["frame"], "excluded">, FrameParts>(
  ({ count, amount }) => ({
    known: count("proposals.length", "proposals", "Known proposals."),
    members: count("members.length", "proposals", "Those in the frame."),
    missing: count("missing.length", "proposals", "Those that belong into it and whose ballot is missing."),
    attended: count("attended.length", "proposals", "Eligible ones of the horizon that drew attention."),
    eligible: count("measures.eligibleCount", "proposals", "Eligible ones."),
    attention_sum: amount("scored.attentionSum", "proposals", "Weight of the frame, added up."),
    effective_proposals: amount(
      "scored.effectiveProposals",
      "proposals",
      "How many of equal weight they are worth.",
    ),
    evidence_share: amount("scored.evidenceShare", "share", "How far the evidence carries."),
    heads_mean: amount("participation.headsMean", "heads", "Heads by weight, coordinated wallets joined."),
    unclustered_heads_mean: amount("participation.unclusteredMean", "heads", "The same before that."),
  }),
);

/** The factors of an assessed risk, as evidence has them. */
export type RiskFactors = Omit<
  Extract<Evidence["risk"], { score: number }>,
  "score" | "base" | "dominance_floor" | "smallness_floor"
>;

/** What an assessed risk is made of. */
export const RISK_MEASURES = tableOf<
  keyof RiskFactors,
  { readonly risk: ScoredRisk & { readonly kind: "risk" } }
>(({ count, amount, word }) => ({
  governance_capture_risk: word("risk.captureRisk", "low, moderate, high, critical."),
  whale_control_pct: amount("risk.whaleControlPct", "%", "Median joint share of the four strongest heads."),
  active_voter_count: count(
    "risk.activeVoterCount",
    "heads",
    "Heads of at least half weight that voted lately.",
  ),
  delegate_centralization: word("risk.delegateCentralization", "low, moderate, high, critical, unknown."),
  proposal_velocity: word("risk.proposalVelocity", "dormant, low, moderate, high, very_high."),
  proposals_per_month: amount("risk.proposalsPerMonth", "proposals", "What the velocity is cut from."),
  checkpoint_voting_pct: amount("risk.checkpointVotingPct", "%", "Batch votes of timed votes."),
}));

/** Medians over the frame that are reported and never scored, each of a number of its members. */
export const DIAGNOSTICS = {
  gini: { name: "Gini of cast power", unit: "share", of: ({ gini }) => gini },
  hhi_points: {
    name: "HHI points of cast power",
    unit: "points",
    of: ({ effective_voters: voters }) => (voters === null ? null : 10_000 / voters),
  },
  entropy_bits: { name: "entropy in bits", unit: "bits", of: (line) => line.entropy_bits },
  banzhaf_top: { name: "Banzhaf index of the strongest head", unit: "share", of: (line) => line.banzhaf_top },
} as const satisfies Readonly<
  Record<
    string,
    { readonly name: string; readonly unit: string; readonly of: (line: ProposalLine) => number | null }
  >
>;

/** What each part of data completeness asks. */
export const COMPLETENESS_PARTS: Readonly<Record<keyof typeof METHODOLOGY.completeness.weights, string>> = {
  votes: "votes fetched, of those the source counts",
  final: "proposals and votes counted to the end",
  reconciled: "proposals whose power adds up to the source's own",
  fields: "fields and choices that could be read",
  freshness: "how fresh the last complete fetch was",
};
