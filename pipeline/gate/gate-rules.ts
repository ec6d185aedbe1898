/** Refusals that an operator who has looked may let pass (`--allow <name>`), each by its own name. */
export const GATE_OVERRIDES = [
  "dao-count",
  "votes",
  "rejected-rows",
  "score-jump",
  "completeness",
  "clock",
  "future-data",
  "evidence",
  "opt-outs",
  "previous",
] as const;
export type GateOverride = (typeof GATE_OVERRIDES)[number];

/** What a finding compares, in words; a limit says what would have passed. */
export interface Compared {
  readonly was?: string;
  readonly is: string;
  readonly limit: string;
}

/** What a gate found. Messages reach logs and `run.json`: no wallet, no opted-out entity and no count of them stands in one. */
export interface GateFinding {
  readonly code: GateCode;
  readonly message: string;
  readonly spaceId?: string;
  /** One `refuse` and nothing is published. */
  readonly severity: "refuse" | "warn";
  /** The name that turns this refusal into a warning; a refusal without one cannot be let pass. */
  readonly override?: GateOverride;
  /** Where numbers or times were compared. */
  readonly compared?: Compared;
}

/** Every finding a gate can make. */
export const GATE_CODES = [
  "SHAPE_INVALID",
  "PARTS_DISAGREE",
  "OPTED_OUT_NAMED",
  "FRAME_FROM_FUTURE",
  "EVIDENCE_DIFFERS",
  "CLOCK_WENT_BACK",
  "FUTURE_DATA",
  "REJECTED_ROWS_ROSE",
  "DAO_COUNT_FELL",
  "VOTES_FELL",
  "SCORE_JUMPED",
  "COMPLETENESS_FELL",
  "OPT_OUTS_FELL",
  "PREVIOUS_DAMAGED",
  "AS_OF_EARLIER",
  "AS_OF_FAR",
  "METHODOLOGY_CHANGED",
] as const;
export type GateCode = (typeof GATE_CODES)[number];

/** Every number at which a gate closes. All of them are ours: far above what a quiet week does, far below what a fault does. */
export const GATE_LIMITS = {
  /** Part of a count that may be gone without a word, as for opt-outs in the publishing rules. */
  fallAllowed: { part: 1, of: 5 },
  /** Points a gvs may move between two versions that are close in time: a fifth of its scale. */
  scoreJumpPoints: 2,
  /** Versions further apart say nothing about each other's scores: a weekly run is the slowest we know of. */
  comparableDays: 7,
  /** Share of the rows of a fetch that may be refused, in percent. */
  rejectedPct: 5,
  /** How far above the last version's share it must lie too, in points: what was looked at once is not refused each night. */
  rejectedRisePct: 1,
  /** Fewer refused rows than this are a matter for `run.json`, whatever their share. */
  rejectedRowsMin: 100,
  /** Points of completeness the mean of all DAOs may lose, and a single one. */
  completenessMeanFallPct: 5,
  completenessFallPct: 20,
  /** Clocks of two machines may differ by so much: of the one that fetched, and of this one. */
  clockSkewMinutes: 5,
} as const;

/** One gate: what it asks, when it closes, why, and how an operator who has looked goes on. */
export interface GateRule {
  readonly asks: string;
  readonly limit: string;
  readonly reason: string;
  /** Absent where nothing lets it pass. */
  readonly override?: GateOverride;
  /** `warn` never stops a run. */
  readonly severity: "refuse" | "warn";
}

const { fallAllowed, scoreJumpPoints, comparableDays, rejectedPct, rejectedRisePct, rejectedRowsMin } =
  GATE_LIMITS;
const { completenessMeanFallPct, completenessFallPct, clockSkewMinutes } = GATE_LIMITS;
const FIFTH = `${fallAllowed.part}/${fallAllowed.of} fewer`;
const NEAR = `within ${comparableDays} days, same method`;

type Words = readonly [asks: string, limit: string, reason: string];

const must = (...[asks, limit, reason]: Words): GateRule => ({ asks, limit, reason, severity: "refuse" });
const unless = (override: GateOverride, ...words: Words): GateRule => ({ ...must(...words), override });
const warn = (...words: Words): GateRule => ({ ...must(...words), severity: "warn" });

/** Every gate, in the order of their findings; complete by type. */
export const GATE_RULES: Readonly<Record<GateCode, GateRule>> = {
  SHAPE_INVALID: must(
    "every document has its shape: numbers finite, rounded and within their ranges",
    "none",
    "a number outside its range is a fault of ours; it is never clamped into it",
  ),
  PARTS_DISAGREE: must(
    "parts add up to their totals, and documents agree with each other",
    "none",
    "two numbers for one thing cannot both be true",
  ),
  OPTED_OUT_NAMED: must(
    "nobody who opted out is named, but as the bare address of a delegate",
    "none",
    "what is published cannot be taken back",
  ),
  FRAME_FROM_FUTURE: must(
    "every proposal that a score rests on had ended by as_of",
    "none",
    "what was not yet known at a moment must not change a score as of it",
  ),
  EVIDENCE_DIFFERS: unless(
    "evidence",
    "every score follows again from the evidence beside it",
    "none",
    "a score that its own evidence contradicts is a fault of ours",
  ),
  CLOCK_WENT_BACK: unless(
    "clock",
    "this run is not before the one behind the current version",
    "none",
    "names and ages of versions come from the clock; one of the two runs had a wrong one",
  ),
  FUTURE_DATA: unless(
    "future-data",
    "as_of and fetch times are not ahead of the clock",
    `as_of: none; fetches: ${clockSkewMinutes} minutes`,
    "nothing is known of the future, so a clock is wrong, or a date",
  ),
  REJECTED_ROWS_ROSE: unless(
    "rejected-rows",
    "the share of rows refused in whole fetches, of all DAOs and of each",
    `${rejectedPct} %, and ${rejectedRisePct} point above the version before; at least ${rejectedRowsMin} rows`,
    "a source that changed its format looks like a source full of rubbish",
  ),
  DAO_COUNT_FELL: unless(
    "dao-count",
    "the number of ranked DAOs",
    `${FIFTH}; only a warning between versions that are far apart`,
    "DAOs do not stop voting together",
  ),
  VOTES_FELL: unless(
    "votes",
    "votes held, of all DAOs and of each",
    FIFTH,
    "a file cut at the end of a row looks like a shorter one: only the version before can tell",
  ),
  SCORE_JUMPED: unless(
    "score-jump",
    "the gvs of each DAO",
    `${scoreJumpPoints} points (${NEAR})`,
    "a year of proposals stands behind a score: a day cannot turn it over",
  ),
  COMPLETENESS_FELL: unless(
    "completeness",
    "data_completeness, its mean and that of each DAO",
    `${completenessMeanFallPct} points the mean, ${completenessFallPct} points one DAO (${NEAR})`,
    "data that were there do not go: what is missing was not fetched",
  ),
  OPT_OUTS_FELL: unless(
    "opt-outs",
    "the number of opted-out entities, against the last run from this home",
    FIFTH,
    "a lost list would name people who asked not to be",
  ),
  PREVIOUS_DAMAGED: unless(
    "previous",
    "the current version can be read, to be compared with",
    "none",
    "without it no other gate sees a fall",
  ),
  AS_OF_EARLIER: warn(
    "as_of is not before that of the current version",
    "none",
    "older scores replace newer ones; scores are then not compared",
  ),
  AS_OF_FAR: warn(
    "as_of is near that of the current version",
    `${comparableDays} days`,
    "scores that far apart are not compared",
  ),
  METHODOLOGY_CHANGED: warn(
    "the method is that of the current version",
    "none",
    "other methods give other scores; they are not compared",
  ),
};

/** Makes the finding of one gate. */
export type Refuse = (
  code: GateCode,
  message: string,
  about?: { readonly spaceId?: string; readonly compared?: Compared },
) => GateFinding;

/** A refusal as the rule of its code says, or a warning where the operator let it pass by name. */
export function refuseUnless(overrides: readonly GateOverride[]): Refuse {
  return (code, message, about = {}) => {
    const { override, severity } = GATE_RULES[code];
    if (override === undefined) return { code, message, severity, ...about };
    return { code, message, severity: overrides.includes(override) ? "warn" : severity, override, ...about };
  };
}

/** More than a fifth is gone; in whole numbers, so that exactly a fifth is not. */
export function hasFallen(now: number, before: number): boolean {
  const { part, of } = GATE_LIMITS.fallAllowed;
  return now * of < before * (of - part);
}

/** What would not have been a fall. */
export function fallCompared(now: number, before: number): Compared {
  const { part, of } = GATE_LIMITS.fallAllowed;
  return { was: `${before}`, is: `${now}`, limit: `at least ${Math.ceil((before * (of - part)) / of)}` };
}
