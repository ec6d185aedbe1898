import type { Evidence } from "../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { COMPLETENESS_PARTS, DIAGNOSTICS } from "../../documents/measures.ts";
import { GAP_MESSAGES } from "../../documents/unscored.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { gapReason } from "./scores.ts";

const COMPLETENESS_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(COMPLETENESS_PARTS));
const DIAGNOSTIC_IDS = Object.keys(DIAGNOSTICS) as (keyof typeof DIAGNOSTICS)[];

/** How sure the scores of one DAO are, how complete its data are, and what was not looked at. */
export function explainCertainty(evidence: Evidence) {
  const { uncertainty, completeness, diagnostics } = evidence;
  return {
    completenessPct: completeness.pct ?? undefined,
    parts: completeness.parts.map(({ id, value, weight }) => ({
      asks: COMPLETENESS_WORDS.get(id) ?? id,
      value: value ?? undefined,
      weight,
    })),
    resamples: uncertainty?.resamples ?? 0,
    kept: uncertainty?.kept ?? 0,
    // Intervals and places are of DAOs with a gvs only.
    gvs: uncertainty?.gvs,
    rank: uncertainty?.rank,
    weights: uncertainty === null ? undefined : explainWeights(uncertainty.weights),
    notAssessed: groupNotAssessed(evidence),
    diagnostics: DIAGNOSTIC_IDS.flatMap((id) => {
      const value = diagnostics[id];
      return value === null ? [] : [{ name: DIAGNOSTICS[id].name, value }];
    }),
  };
}

/** Why something was not assessed, beside the reasons of gaps. */
const UNASSESSED_SENTENCES: Readonly<Record<string, string>> = {
  NOT_KNOWN: "not known, so that the others share the weight",
  TOO_FEW_TIMED_VOTES: "fewer than three proposals, or most votes have no time: hpr is at most 5",
  NO_DATED_LIST: "no complete list of delegates with a date",
  LIST_TOO_OLD: `the newest complete list of delegates is older than ${METHODOLOGY.risk.delegationDays} days`,
};

type Weights = NonNullable<Evidence["uncertainty"]>["weights"];

/** Over all single changes of a weight by a quarter, and the weight on which the rank hangs most, where it hangs on any. */
function explainWeights(weights: Weights) {
  if (weights.length === 0) return undefined;
  const spread = ({ best, worst }: Weights[number]) => worst - best;
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
  const gap = gapReason(code);
  return gap === undefined ? (UNASSESSED_SENTENCES[code] ?? code) : GAP_MESSAGES[gap];
}

/** By reason; what a missing component would be made of is not told again. */
function groupNotAssessed({ not_assessed: all }: Evidence) {
  const isMissing = (key: string): boolean => all.some(({ id }) => id === key);
  const told = all.filter(
    ({ id }) => !COMPONENT_KEYS.some((key) => id.startsWith(`${key}_`) && isMissing(key)),
  );
  return [...new Set(told.map(({ reason }) => reason))].map((reason) => ({
    what: told.flatMap((each) => (each.reason === reason ? [nameOf(each.id)] : [])),
    why: whyOf(reason),
  }));
}
