import type { Evidence } from "../../../snapshots/format/evidence.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { GAP_MESSAGES } from "../../documents/unscored.ts";
import { GAP_REASONS, type GapReason } from "../../score/method/dao-score.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

const { windowDays, horizonDays, attentionTarget, attentionFloor } = METHODOLOGY.frame;

/** Why a proposal is not looked at, or not in the frame; does not compile when one is missing. */
export const PLACE_SENTENCES: Readonly<Record<Exclude<ProposalLine["place"], "MEMBER">, string>> = {
  END_UNKNOWN: "the source does not say when the vote ended",
  NOT_ENDED: "the vote had not ended",
  STATE_OPEN: "the source says that it is still open",
  NOT_FINAL: "the source had not counted it to the end",
  CANCELLED: "cancelled by the governor",
  FLAGGED: "flagged as spam by the source",
  DELETED: "deleted at the source",
  TOO_OLD: `ended more than ${horizonDays} days before`,
  IGNORED: `cast power is less than ${100 * attentionFloor} % of what is usual there`,
  NO_VOTES: "nobody voted on it",
  BALLOT_MISSING: "has votes, but they were not fetched, or none can be read: lowers completeness",
  FRAME_FULL: `older than ${windowDays} days, and newer ones already weigh ${attentionTarget}`,
};

/** What data a gap asks for; does not compile when one is missing. */
export const NEEDS: Readonly<Record<GapReason, string>> = {
  NOT_FETCHED: "one complete fetch of the DAO: `govdata fetch SPACE`",
  NO_PROPOSALS: `a finished proposal of the last ${horizonDays} days with at least a quarter of the usual power`,
  BALLOTS_MISSING: "the votes of the proposals that ended: a fetch from a source that has them",
  NO_VOTERS: "votes that carry weight on at least one proposal of the frame",
  POWER_UNKNOWN: "the voting power of each vote; the source that was read has none (a hub has it as `vp`)",
  DELIBERATION_UNKNOWN:
    "on at least one proposal half (by weight) of: discussion link, voting times, choices and their powers, reasons",
  PROCESS_UNKNOWN: "half (by weight) of: quorum, dates of proposals, authors, the space's own rules",
  COMPONENT_GAP: "all four components",
  ACTIVE_VOTERS_UNKNOWN: "the votes on the proposals of the last 90 days",
};

/** Why something was not assessed, beside the reasons of gaps. */
export const UNASSESSED_SENTENCES: Readonly<Record<string, string>> = {
  NOT_KNOWN: "not known, so that the others share the weight",
  TOO_FEW_TIMED_VOTES: "fewer than three proposals, or most votes have no time: hpr is at most 5",
  NO_DATED_LIST: "no complete list of delegates with a date",
  LIST_TOO_OLD: `the newest complete list of delegates is older than ${METHODOLOGY.risk.delegationDays} days`,
};

interface PlaceRange {
  readonly best: number;
  readonly worst: number;
}

/** How sure a score is, how complete its data are, and what was not looked at. */
export interface Certainty {
  readonly completenessPct: number | undefined;
  readonly parts: readonly {
    readonly asks: string;
    readonly value: number | undefined;
    readonly weight: number;
  }[];
  readonly resamples: number;
  readonly kept: number;
  /** Intervals and places are of DAOs with a gvs only. */
  readonly gvs: { readonly low: number; readonly high: number } | undefined;
  readonly rank: PlaceRange | undefined;
  /** Over all single changes of a weight by a quarter, and the weight on which the place hangs most, where it hangs on any. */
  readonly weights:
    | (PlaceRange & { readonly most: (PlaceRange & { readonly of: string }) | undefined })
    | undefined;
  /** By reason; what a missing component would be made of is not told again. */
  readonly notAssessed: readonly { readonly what: readonly string[]; readonly why: string }[];
  /** Reported, never scored. */
  readonly diagnostics: readonly { readonly name: string; readonly value: number }[];
}

const PARTS: Readonly<Record<string, string>> = {
  votes: "votes fetched, of those the source counts",
  final: "proposals and votes counted to the end",
  reconciled: "proposals whose power adds up to the source's own",
  fields: "fields and choices that could be read",
  freshness: "how fresh the last complete fetch was",
};

type Weights = NonNullable<Evidence["uncertainty"]>["weights"];

function explainWeights(weights: Weights): Certainty["weights"] {
  if (weights.length === 0) return undefined;
  const spread = ({ best, worst }: PlaceRange) => worst - best;
  const [most] = weights.toSorted((a, b) => spread(b) - spread(a));
  return {
    best: Math.min(...weights.map(({ best }) => best)),
    worst: Math.max(...weights.map(({ worst }) => worst)),
    most:
      most === undefined || spread(most) === 0
        ? undefined
        : { of: `${most.id.replaceAll("_", " ")} in ${most.of}`, best: most.best, worst: most.worst },
  };
}

/** What an id of `not_assessed` stands for. */
function nameOf(id: string): string {
  const key = COMPONENT_KEYS.find((each) => id === each || id.startsWith(`${each}_`));
  if (key === undefined) return id;
  return id === key ? key : `${key} ${id.slice(key.length + 1).replaceAll("_", " ")}`;
}

function whyOf(code: string): string {
  const gap = GAP_REASONS.find((reason) => reason === code);
  return gap === undefined ? (UNASSESSED_SENTENCES[code] ?? code) : GAP_MESSAGES[gap];
}

function groupNotAssessed({ not_assessed: all }: Evidence): Certainty["notAssessed"] {
  const isMissing = (key: string): boolean => all.some(({ id }) => id === key);
  const told = all.filter(
    ({ id }) => !COMPONENT_KEYS.some((key) => id.startsWith(`${key}_`) && isMissing(key)),
  );
  return [...new Set(told.map(({ reason }) => reason))].map((reason) => ({
    what: told.flatMap((each) => (each.reason === reason ? [nameOf(each.id)] : [])),
    why: whyOf(reason),
  }));
}

/** How sure the scores of one DAO are. */
export function explainCertainty(evidence: Evidence): Certainty {
  const { uncertainty, completeness, diagnostics } = evidence;
  const known = (name: string, value: number | null) => (value === null ? [] : [{ name, value }]);
  return {
    completenessPct: completeness.pct ?? undefined,
    parts: completeness.parts.map(({ id, value, weight }) => ({
      asks: PARTS[id] ?? id,
      value: value ?? undefined,
      weight,
    })),
    resamples: uncertainty?.resamples ?? 0,
    kept: uncertainty?.kept ?? 0,
    gvs: uncertainty?.gvs,
    rank: uncertainty?.rank,
    weights: uncertainty === null ? undefined : explainWeights(uncertainty.weights),
    notAssessed: groupNotAssessed(evidence),
    diagnostics: [
      ...known("Gini of cast power", diagnostics.gini),
      ...known("HHI points of cast power", diagnostics.hhi_points),
      ...known("entropy in bits", diagnostics.entropy_bits),
      ...known("Banzhaf index of the strongest head", diagnostics.banzhaf_top),
    ],
  };
}
