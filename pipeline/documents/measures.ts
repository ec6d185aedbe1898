import { MARK_IDS, type MarkId, type MeasureColumn } from "../../snapshots/format/proposal-line.ts";
import type { Risk } from "../score/components/risk.ts";
import type { ProposalEvidence } from "../score/dao-evidence.ts";
import { weightAt } from "../score/method/measures.ts";
import { INDICATOR_WORDS } from "./component-words.ts";

/** One published measure: how it is found, and all that columns, schemas and dictionaries say of it. */
export interface Measure<Name extends string = string, From = never> {
  readonly name: Name;
  readonly type: "string" | "integer" | "number";
  /** What one of it is; empty where it counts and measures nothing. */
  readonly unit: string;
  readonly description: string;
  readonly of: (from: From) => string | number | undefined;
}

type Row<From> = Omit<Measure<string, From>, "name">;

/** A table of measures by their published names. */
function tableOf<Name extends string, From>(
  rows: Readonly<Record<Name, Row<From>>>,
): readonly Measure<Name, From>[] {
  return Object.entries<Row<From>>(rows).map(([name, row]) => ({ name: name as Name, ...row }));
}

const row =
  (type: Measure["type"]) =>
  <From>(unit: string, description: string, of: Row<From>["of"]): Row<From> => ({
    type,
    unit,
    description,
    of,
  });
const count = row("integer");
const amount = row("number");
const word = row("string");

/** What was measured, by published names; `null` where it is not known. */
export function publishMeasures<Published, From>(
  measures: readonly Measure<keyof Published & string, From>[],
  from: From,
): Published {
  const entries = measures.map(({ name, of }) => [name, of(from) ?? null]);
  return Object.fromEntries(entries) as Published;
}

/** A known proposal, and the moment its weight is of. */
export interface MeasuredProposal extends ProposalEvidence {
  readonly asOfMs: number;
}

type MarkColumn = Extract<MeasureColumn, `${MarkId}_${"low" | "high"}`>;

const markRows = Object.fromEntries(
  MARK_IDS.flatMap((id) =>
    (["low", "high"] as const).map((end, at) => [
      `${id}_${end}`,
      amount<MeasuredProposal>(
        "mark",
        `${end === "low" ? "Low" : "High"} end of the mark: ${INDICATOR_WORDS[id].asks}.`,
        ({ measures }) => measures?.marks[id]?.[at],
      ),
    ]),
  ),
) as Record<MarkColumn, Row<MeasuredProposal>>;

/** What is measured of a proposal, in the columns of its line. */
export const PROPOSAL_MEASURES = tableOf<MeasureColumn, MeasuredProposal>({
  declared_votes: count("votes", "What the source declares.", ({ facts }) => facts.votesCount),
  declared_power: amount("power", "What the source declares.", ({ facts }) => facts.scoresTotal),
  power: amount(
    "power",
    "What counts as cast (S): the power that the source declares, or else the sum of all fetched votes.",
    ({ power }) => power,
  ),
  attention: amount(
    "share",
    "How much of the usual power it drew (ω).",
    ({ measures }) => measures?.attention,
  ),
  weight: amount(
    "share",
    "Its attention, fading to nothing over two years: its weight in every mean (w).",
    ({ measures, asOfMs }) => measures && weightAt(measures, asOfMs),
  ),
  votes: count("votes", "Fetched votes.", ({ measures }) => measures?.votes),
  ...markRows,
  loyalty_attention: amount(
    "proposals",
    "Attention of the earlier proposals that loyalty looked at, added up; at most 10.",
    ({ measures }) => measures?.loyaltyAttention,
  ),
  top_share: amount(
    "share",
    "Share of the largest voter.",
    ({ measures }) => measures?.concentration?.topShare,
  ),
  merged_top_share: amount(
    "share",
    "The same with voters merged that vote alike.",
    ({ measures }) => measures?.concentration?.mergedTopShare,
  ),
  whale_share: amount(
    "share",
    "Joint share of the four largest voters.",
    ({ measures }) => measures?.concentration?.whaleShare,
  ),
  majority_voters: count(
    "voters",
    "Fewest voters that together hold more than half.",
    ({ measures }) => measures?.concentration?.majorityVoters,
  ),
  gini: amount(
    "share",
    "Inequality among the voters; reported, never scored.",
    ({ measures }) => measures?.concentration?.gini,
  ),
  quorum: amount("power", "Power that it needs.", ({ measures }) => measures?.quorum),
  fetched_share: amount(
    "share",
    "Part of the ballot's power that was fetched.",
    ({ measures }) => measures?.fetchedShare,
  ),
  fields_share: amount(
    "share",
    "Part that is known of nine fields: author, created, start, end, type, choices, discussion, scores_total, votes.",
    ({ measures }) => measures?.fieldsShare,
  ),
});

/** The factors of an assessed risk, as evidence and risk documents have them, and what the velocity is cut from. */
export const RISK_MEASURES = tableOf<
  | "governance_capture_risk"
  | "whale_control_pct"
  | "active_voter_count"
  | "delegate_centralization"
  | "proposal_velocity"
  | "proposals_per_month"
  | "checkpoint_voting_pct",
  Risk
>({
  governance_capture_risk: word("", "low, moderate, high, critical.", ({ captureRisk }) => captureRisk),
  whale_control_pct: amount(
    "%",
    "Weighted mean of the joint share of the four largest voters.",
    ({ whaleControlPct }) => whaleControlPct,
  ),
  active_voter_count: count(
    "voters",
    "Voters with at least a millionth of a ballot of the last 90 days; no score uses it.",
    ({ activeVoterCount }) => activeVoterCount,
  ),
  delegate_centralization: word(
    "",
    "low, moderate, high, critical, unknown.",
    ({ delegateCentralization }) => delegateCentralization,
  ),
  proposal_velocity: word(
    "",
    "dormant, low, moderate, high, very_high.",
    ({ proposalVelocity }) => proposalVelocity,
  ),
  proposals_per_month: amount(
    "proposals",
    "What the velocity is cut from.",
    ({ proposalsPerMonth }) => proposalsPerMonth,
  ),
  checkpoint_voting_pct: amount(
    "%",
    "Capped power that voted in one sitting with an earlier proposal; 0 also where no time is known.",
    ({ checkpointVotingPct }) => checkpointVotingPct,
  ),
});
