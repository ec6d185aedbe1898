import type { ComponentKey } from "../../snapshots/format/value-sets.ts";
import type { IndicatorId } from "../score/method/marks.ts";

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

/** What an indicator measures, and the data that it needs. */
interface IndicatorTexts {
  readonly asks: string;
  readonly source: string;
}

const POWER = "the voting power of each vote (a hub gives it as `vp`)";

/** The description of each indicator. */
export const INDICATOR_TEXTS: Readonly<Record<IndicatorId, IndicatorTexts>> = {
  breadth: { asks: "how many voters take part, each counted up to 1 % of the power", source: POWER },
  loyalty: {
    asks: "how much of that power also voted on the proposals before",
    source: `${POWER}, on this proposal and on one before it`,
  },
  effective: { asks: "how many equal voters would be as concentrated", source: POWER },
  majority: { asks: "how many voters it takes for half of the power", source: POWER },
  top: { asks: "how small the share of the largest voter is", source: POWER },
  discussion: { asks: "a link to a discussion", source: "the proposals' discussion field" },
  period: { asks: "how long the vote is open", source: "start and end of the proposals" },
  delay: {
    asks: "how long voters know a proposal before the vote",
    source: "creation and start of the proposals",
  },
  contested: {
    asks: "power cast against the leading choice",
    source: `${POWER}, on votes for one or for weighted choices`,
  },
  rationale: { asks: "power cast with a reason", source: "the votes' reason field, and their voting power" },
  not_batch: {
    asks: "power not cast on several proposals within a minute",
    source: "the time of each vote, and its voting power",
  },
  quorum: {
    asks: "a quorum that is not trivial and is reached",
    source: "the proposals' quorum field, and the power cast",
  },
  cadence: { asks: "a vote every month", source: "the ends of the proposals, fetched recently" },
  proposers: {
    asks: "the chance that two proposals have different authors",
    source: "the authors of two or more proposals",
  },
  guardrails: {
    asks: "restricted proposing, a fixed voting period, two or more moderators",
    source: "the space's own settings",
  },
};

/** The description of an indicator of any method; an unknown indicator is described by its id. */
export function indicatorTexts(id: string): IndicatorTexts {
  const known: Readonly<Record<string, IndicatorTexts>> = INDICATOR_TEXTS;
  return known[id] ?? { asks: id.replaceAll("_", " "), source: "" };
}
