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

/**
 * Every gate, in the order of their findings: whether it refuses whatever is said, refuses unless it is allowed by this
 * name, or only warns. What each asks, and why, stands in README.md.
 */
export const GATE_RULES = {
  SHAPE_INVALID: "refuse",
  PARTS_DISAGREE: "refuse",
  OPTED_OUT_NAMED: "refuse",
  FRAME_FROM_FUTURE: "refuse",
  EVIDENCE_DIFFERS: "evidence",
  CLOCK_WENT_BACK: "clock",
  FUTURE_DATA: "future-data",
  REJECTED_ROWS_ROSE: "rejected-rows",
  DAO_COUNT_FELL: "dao-count",
  VOTES_FELL: "votes",
  SCORE_JUMPED: "score-jump",
  COMPLETENESS_FELL: "completeness",
  OPT_OUTS_FELL: "opt-outs",
  PREVIOUS_DAMAGED: "previous",
  AS_OF_EARLIER: "warn",
  AS_OF_FAR: "warn",
  METHODOLOGY_CHANGED: "warn",
} as const satisfies Readonly<Record<string, "refuse" | "warn" | GateOverride>>;
export type GateCode = keyof typeof GATE_RULES;

/** The finding of one gate, as the rule of its code says. */
export function finding(
  code: GateCode,
  message: string,
  about: Pick<GateFinding, "spaceId" | "compared"> = {},
): GateFinding {
  const rule = GATE_RULES[code];
  if (rule === "refuse" || rule === "warn") return { code, message, severity: rule, ...about };
  return { code, message, severity: "refuse", override: rule, ...about };
}

/** The findings, each a warning where the operator let it pass by name. */
export function letPass(
  findings: readonly GateFinding[],
  overrides: readonly GateOverride[],
): readonly GateFinding[] {
  return findings.map((each) =>
    each.override !== undefined && overrides.includes(each.override) ? { ...each, severity: "warn" } : each,
  );
}
