import { MARK_IDS, type MarkId, type MeasureColumn } from "../../snapshots/format/proposal-line.ts";
import type { Risk } from "../score/components/risk.ts";
import type { ProposalEvidence } from "../score/dao-evidence.ts";
import { indicatorTexts } from "../score/method/indicators.ts";
import { type ConcentrationEnds, weightAt } from "../score/method/measures.ts";

/** One published measure: how to read it, and its description in columns, schemas and dictionaries. */
export interface Measure<Name extends string = string, From = never> {
  readonly name: Name;
  readonly type: "string" | "integer" | "number";
  readonly unit: string;
  readonly description: string;
  readonly of: (from: From) => string | number | undefined;
}

type Row<From> = Omit<Measure<string, From>, "name">;

function tableOf<Name extends string, From>(
  rows: Readonly<Record<Name, Row<From>>>,
): readonly Measure<Name, From>[] {
  return Object.entries<Row<From>>(rows).map(([name, row]) => ({ name: name as Name, ...row }));
}

const row =
  (type: Measure["type"]) =>
  <From>(unit: string, description: string, read: Row<From>["of"]): Row<From> => ({
    type,
    unit,
    description,
    of: read,
  });
const count = row("integer");
const amount = row("number");
const word = row("string");

/** The measured values by published name; `null` means unknown. */
export function publishMeasures<Published, From>(
  measures: readonly Measure<keyof Published & string, From>[],
  from: From,
): Published {
  const published: Record<string, string | number | null> = {};
  for (const { name, of: read } of measures) published[name] = read(from) ?? null;
  return published as Published;
}

interface MeasuredProposal extends ProposalEvidence {
  readonly asOfMs: number;
}

type ConcentrationName = "majority_voters" | "hhi_points" | "gini";
type ConcentrationColumn = ConcentrationName | `${ConcentrationName}_${"low" | "high"}`;

/** The columns of one figure of concentration: of the known votes, and the ends that unknown votes allow. */
const concentrationRows = (
  make: typeof count,
  name: ConcentrationName,
  key: keyof ConcentrationEnds,
  unit: string,
  description: string,
) =>
  ({
    [name]: make<MeasuredProposal>(unit, description, ({ measures }) => measures?.concentration?.[key]),
    ...Object.fromEntries(
      (["low", "high"] as const).map((end, index) => [
        `${name}_${end}`,
        make<MeasuredProposal>(
          unit,
          `The ${end === "low" ? "least" : "most"} that it may be, whatever votes are unknown.`,
          ({ measures }) => finite(measures?.concentrationEnds[key][index]),
        ),
      ]),
    ),
  }) as Record<ConcentrationColumn, Row<MeasuredProposal>>;

const finite = (value: number | undefined): number | undefined => (value === Infinity ? undefined : value);

type MarkColumn = Extract<MeasureColumn, `${MarkId}_${"low" | "high"}`>;

const markRows = Object.fromEntries(
  MARK_IDS.flatMap((id) =>
    (["low", "high"] as const).map((end, index) => [
      `${id}_${end}`,
      amount<MeasuredProposal>(
        "mark",
        `${end === "low" ? "Low" : "High"} end of the mark: ${indicatorTexts(id).asks}.`,
        ({ measures }) => measures?.marks[id]?.[index],
      ),
    ]),
  ),
) as Record<MarkColumn, Row<MeasuredProposal>>;

export const PROPOSAL_MEASURES = tableOf<MeasureColumn, MeasuredProposal>({
  declared_votes: count("votes", "Votes that the source declares.", ({ facts }) => facts.votesCount),
  declared_power: amount("power", "Power that the source declares.", ({ facts }) => facts.scoresTotal),
  power: amount(
    "power",
    "Power cast (S): the power that the source declares, or else the sum of all fetched votes.",
    ({ power }) => power,
  ),
  attention: amount(
    "share",
    "How much of the usual power it drew, times the continuity of its voting strategies (ω).",
    ({ measures }) => measures?.attention,
  ),
  weight: amount(
    "share",
    "Its attention, fading to 0 over two years: its weight in every mean (w).",
    ({ measures, asOfMs }) => measures && weightAt(measures, asOfMs),
  ),
  votes: count("votes", "Fetched votes.", ({ measures }) => measures?.votes),
  ...markRows,
  loyalty_attention: amount(
    "proposals",
    "Sum of the attention of the earlier proposals that loyalty compares; at most 10.",
    ({ measures }) => measures?.loyaltyAttention,
  ),
  top_share: amount(
    "share",
    "Share of the largest voter.",
    ({ measures }) => measures?.concentration?.topShare,
  ),
  merged_top_share: amount(
    "share",
    "Share of the largest voter after voters that vote alike are merged.",
    ({ measures }) => measures?.concentration?.mergedTopShare,
  ),
  whale_share: amount(
    "share",
    "Joint share of the four largest voters.",
    ({ measures }) => measures?.concentration?.whaleShare,
  ),
  ...concentrationRows(
    count,
    "majority_voters",
    "majorityVoters",
    "voters",
    "The smallest number of voters that hold more than half together.",
  ),
  ...concentrationRows(
    amount,
    "hhi_points",
    "hhiPoints",
    "points",
    "Sum of the squared shares of the voters, 0 to 10,000; reported, never scored.",
  ),
  ...concentrationRows(
    amount,
    "gini",
    "gini",
    "share",
    "Inequality among the voters; reported, never scored.",
  ),
  quorum: amount("power", "Power that the proposal requires.", ({ measures }) => measures?.quorum),
  quorum_power: amount(
    "power",
    "Power that counts for the quorum; empty if all power cast counts.",
    ({ measures }) => measures?.quorumPower,
  ),
  fetched_share: amount(
    "share",
    "The part of the ballot's power that was fetched.",
    ({ measures }) => measures?.fetchedShare,
  ),
  fields_share: amount(
    "share",
    "The known part of nine fields: author, created, start, end, type, choices, discussion, scores_total, votes.",
    ({ measures }) => measures?.fieldsShare,
  ),
});

/** The factors of a risk as in evidence and risk documents, and the rate behind the velocity. */
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
    "Voters with at least a millionth of the power of a known ballot of the last 90 days; not used in any score; empty if no vote of that time is known.",
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
    "The rate from which the velocity follows.",
    ({ proposalsPerMonth }) => proposalsPerMonth,
  ),
  checkpoint_voting_pct: amount(
    "%",
    "Capped power that voted within a minute of its vote on an earlier proposal; empty if no time is known.",
    ({ checkpointVotingPct }) => checkpointVotingPct,
  ),
});
