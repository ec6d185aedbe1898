import type { IndicatorRow } from "../../snapshots/format/evidence.ts";
import type { ComponentKey } from "../../snapshots/format/value-sets.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";

/** What an indicator measures, and between which values it earns its marks. */
export interface IndicatorWords {
  readonly asks: string;
  /** How a measured number is to be written. */
  readonly measure: "percent" | "heads" | "days" | "number";
  /** Where it earns nothing, and where full marks. */
  readonly noMarksAt: number;
  readonly fullMarksAt: number;
  /** Set where the way between the two is no straight line. */
  readonly way?: string;
}

/** What a component asks. */
export interface ComponentWords {
  readonly name: string;
  readonly title: string;
  readonly asks: string;
  readonly indicators: Readonly<Record<string, IndicatorWords>>;
}

const { participation, decentralization, deliberation, process } = METHODOLOGY;
const LOGARITHMIC = "on a logarithmic scale";

const words = (
  asks: string,
  measure: IndicatorWords["measure"],
  [noMarksAt, fullMarksAt]: readonly [number, number],
  way?: string,
): IndicatorWords => ({ asks, measure, noMarksAt, fullMarksAt, ...(way === undefined ? {} : { way }) });

/** What each component and each of its indicators is about, goalposts taken from the method's constants. */
export const COMPONENT_WORDS: Readonly<Record<ComponentKey, ComponentWords>> = {
  hpr: {
    name: "participation",
    title: "Human Participation Rate",
    asks: "Do many people come, do the same ones come again, and do they still?",
    indicators: {
      independence: words("heads left once likely coordinated wallets count as one", "percent", [0, 1]),
      presence: words("how recently the last two proposals ended", "percent", [0, 1]),
      loyalty: words("do the same people come again?", "percent", [0, participation.fullMarksLoyalty]),
      breadth: words(
        "heads on the median proposal",
        "heads",
        [participation.breadthFromHeads, participation.breadthFullHeads],
        LOGARITHMIC,
      ),
    },
  },
  dei: {
    name: "decentralisation",
    title: "Decentralization Index",
    asks: "Who decides, judged by the power that was cast?",
    indicators: {
      effective_voters: words(
        "voters of equal power that would be as concentrated",
        "number",
        [1, decentralization.fullMarksEffectiveVoters],
        LOGARITHMIC,
      ),
      nakamoto: words(
        "fewest heads with more than half of the power",
        "heads",
        [1, decentralization.fullMarksNakamoto],
        LOGARITHMIC,
      ),
      top_share: words("power of the strongest head", "percent", [
        decentralization.noMarksTopShare,
        decentralization.fullMarksTopShare,
      ]),
    },
  },
  pdi: {
    name: "deliberation",
    title: "Proposal Deliberation Index",
    asks: "Is there time, reason and room to disagree?",
    indicators: {
      discussion: words("proposals that link a discussion", "percent", [0, 1]),
      voting_period: words("how long the vote is open", "days", [
        deliberation.votingPeriodFromDays,
        deliberation.votingPeriodFromDays + deliberation.votingPeriodSpanDays,
      ]),
      review_delay: words("time between proposal and vote", "days", [0, deliberation.fullMarksReviewDays]),
      contestedness: words("share of the choice that won", "percent", [
        1,
        1 - deliberation.fullMarksDissentShare,
      ]),
      rationale: words("votes that give a reason", "percent", [0, deliberation.fullMarksRationaleShare]),
      half_power_time: words(
        "part of the vote elapsed when half of the power was in",
        "percent",
        [0, 0.5],
        "and back to nothing at 100 %",
      ),
      not_batch: words(
        "votes cast while an earlier proposal was open, but not within a minute of the wallet's vote on it",
        "percent",
        [0, 1],
      ),
    },
  },
  gpi: {
    name: "process",
    title: "Governance Process Index",
    asks: "Are there rules, and do they carry?",
    indicators: {
      quorum: words("meaningful quorums that were reached", "percent", [0, 1]),
      cadence: words("time covered by recent proposals", "percent", [0, 1]),
      proposers: words(
        "proposers of equal weight that would be as diverse",
        "number",
        [1, process.fullMarksProposers],
        `${LOGARITHMIC}, full marks earlier where there are fewer proposals`,
      ),
      guardrails: words("rules that the space has, of those known", "percent", [0, 1]),
    },
  },
};

/** The product of a component's factors: what of the parts' points is left. */
export function factorsOf(indicators: readonly IndicatorRow[]): number {
  return indicators.reduce(
    (product, { role, value }) => (role === "factor" ? product * (value ?? 1) : product),
    1,
  );
}
