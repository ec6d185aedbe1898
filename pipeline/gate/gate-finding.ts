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
