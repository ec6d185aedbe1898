import type { MarkId } from "../../../snapshots/format/proposal-line.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";

/** The name, title and question of each component. */
export const COMPONENT_TEXTS: Readonly<
  Record<ComponentKey, { readonly name: string; readonly title: string; readonly asks: string }>
> = {
  hpr: {
    name: "participation",
    title: "Human Participation Rate",
    asks: "Do many take part, and do the same voters come back?",
  },
  dei: {
    name: "decentralisation",
    title: "Decentralization Index",
    asks: "How many voters share the power that is cast?",
  },
  pdi: {
    name: "deliberation",
    title: "Proposal Deliberation Index",
    asks: "Is there time, reason and room to disagree?",
  },
  gpi: {
    name: "process",
    title: "Governance Process Index",
    asks: "Are there rules, and do they hold?",
  },
};

/** All indicators: those with a mark on each proposal, and facts of the whole DAO. */
export type IndicatorId = MarkId | "cadence" | "proposers" | "guardrails";

interface IndicatorRow<Id extends IndicatorId> {
  readonly component: ComponentKey;
  /**
   * `ballot`: marks of proposals, weighted by the fetched part of their ballots. `proposal`: marks of proposals, fetched
   * or not. `dao`: a fact of the whole DAO.
   */
  readonly of: Id extends MarkId ? "ballot" | "proposal" : "dao";
  /** What it measures. */
  readonly asks: string;
  /** The data that it needs. */
  readonly source: string;
}

const POWER = "the voting power of each vote (a hub gives it as `vp`)";

/** Every indicator, in the order of publication; a mark without a row does not compile. */
const ROWS: { readonly [Id in IndicatorId]: IndicatorRow<Id> } = {
  breadth: {
    component: "hpr",
    of: "ballot",
    asks: "how many voters take part, each counted up to 1 % of the power",
    source: POWER,
  },
  loyalty: {
    component: "hpr",
    of: "ballot",
    asks: "how much of that power also voted on the proposals before",
    source: `${POWER}, on this proposal and on one before it`,
  },
  effective: {
    component: "dei",
    of: "ballot",
    asks: "how many equal voters would be as concentrated",
    source: POWER,
  },
  majority: {
    component: "dei",
    of: "ballot",
    asks: "how many voters it takes for half of the power",
    source: POWER,
  },
  top: { component: "dei", of: "ballot", asks: "how small the share of the largest voter is", source: POWER },
  discussion: {
    component: "pdi",
    of: "proposal",
    asks: "a link to a discussion",
    source: "the proposals' discussion field",
  },
  period: {
    component: "pdi",
    of: "proposal",
    asks: "how long the vote is open",
    source: "start and end of the proposals",
  },
  delay: {
    component: "pdi",
    of: "proposal",
    asks: "how long voters know a proposal before the vote",
    source: "creation and start of the proposals",
  },
  contested: {
    component: "pdi",
    of: "ballot",
    asks: "power cast against the leading choice",
    source: `${POWER}, on votes for one or for weighted choices`,
  },
  rationale: {
    component: "pdi",
    of: "ballot",
    asks: "power cast with a reason",
    source: "the votes' reason field, and their voting power",
  },
  not_batch: {
    component: "pdi",
    of: "ballot",
    asks: "power not cast on several proposals within a minute",
    source: "the time of each vote, and its voting power",
  },
  quorum: {
    component: "gpi",
    of: "proposal",
    asks: "a quorum that is not trivial and is reached",
    source: "the proposals' quorum field, and the power cast",
  },
  cadence: {
    component: "gpi",
    of: "dao",
    asks: "a vote every month",
    source: "the ends of the proposals, fetched recently",
  },
  proposers: {
    component: "gpi",
    of: "dao",
    asks: "the chance that two proposals have different authors",
    source: "the authors of two or more proposals",
  },
  guardrails: {
    component: "gpi",
    of: "dao",
    asks: "restricted proposing, a fixed voting period, two or more moderators",
    source: "the space's own settings",
  },
};

type Indicator = { [Id in IndicatorId]: { readonly id: Id } & IndicatorRow<Id> }[IndicatorId];

/** The indicators as a list: a component is 10 · presence · the plain mean of its indicators. */
export const INDICATORS = Object.entries(ROWS).map(([id, row]) => ({ id, ...row })) as readonly Indicator[];

/** The words of an indicator of any method; one that this method does not know is described by its id. */
export function indicatorTexts(id: string): { readonly asks: string; readonly source: string } {
  const known = INDICATORS.find((indicator) => indicator.id === id);
  return { asks: known?.asks ?? id.replaceAll("_", " "), source: known?.source ?? "" };
}
