/** Refusals that an operator can override after a check, each by name (`--allow <name>`). */
export const GATE_OVERRIDES = [
  "first-version",
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

/** The values that a finding compares, as text; `limit` is what would have passed. */
export interface Compared {
  readonly was?: string;
  readonly is: string;
  readonly limit: string;
}

/** A finding of a gate. Messages reach logs and `run.json`: they contain no wallets, opted-out entities or their count. */
export interface GateFinding {
  readonly code: GateCode;
  readonly message: string;
  readonly spaceId?: string;
  /** A single `refuse` prevents publication. */
  readonly severity: "refuse" | "warn";
  /** The name that turns this refusal into a warning; a refusal without a name cannot be overridden. */
  readonly override?: GateOverride;
  readonly compared?: Compared;
}

/** The limits of all gates. All are our judgement: far above a normal week's changes, far below those of a fault. */
export const GATE_LIMITS = {
  /** Part of a count that may be lost without a finding. */
  fallAllowed: { part: 1, of: 5 },
  /** Points a gvs may move between two versions that are close in time: a fifth of its scale. */
  scoreJumpPoints: 2,
  /** Scores of versions further apart are not compared; the slowest known schedule is weekly. */
  comparableDays: 7,
  /** Share of a fetch's rows that may be rejected, in percent. */
  rejectedPct: 5,
  /** Points by which the share must also exceed the previous version's: a known share is not refused every night. */
  rejectedRisePct: 1,
  /** Fewer rejected rows than this are only reported in `run.json`. */
  rejectedRowsMin: 100,
  /** Points of completeness that the mean of all DAOs may lose; below, a single DAO. */
  completenessMeanFallPct: 5,
  completenessFallPct: 20,
  /** Allowed difference between the clock of the fetching machine and of this one. */
  clockSkewMinutes: 5,
} as const;

/**
 * All gates, in the order of their findings: "refuse" always refuses, "warn" only warns, any other value is the name that
 * overrides the refusal. README.md describes what each checks, and why.
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
  FIRST_VERSION_THIN: "first-version",
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

export function finding(
  code: GateCode,
  message: string,
  about: Pick<GateFinding, "spaceId" | "compared"> = {},
): GateFinding {
  const rule = GATE_RULES[code];
  if (rule === "refuse" || rule === "warn") return { code, message, severity: rule, ...about };
  return { code, message, severity: "refuse", override: rule, ...about };
}

export function applyOverrides(
  findings: readonly GateFinding[],
  overrides: readonly GateOverride[],
): readonly GateFinding[] {
  return findings.map((finding) =>
    finding.override !== undefined && overrides.includes(finding.override)
      ? { ...finding, severity: "warn" }
      : finding,
  );
}
