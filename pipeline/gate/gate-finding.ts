/** Refusals that an operator who has looked may let pass (`--allow <name>`), each by its own name. */
export const GATE_OVERRIDES = ["dao-count", "votes", "score-jump", "opt-outs", "previous"] as const;
export type GateOverride = (typeof GATE_OVERRIDES)[number];

/** What a gate found. Messages reach logs and `run.json`: no wallet, no opted-out entity and no count of them stands in one. */
export interface GateFinding {
  readonly code: GateCode;
  readonly message: string;
  readonly spaceId?: string;
  /** One `refuse` and nothing is published. */
  readonly severity: "refuse" | "warn";
  /** The name that turns this refusal into a warning; a refusal without one cannot be let pass. */
  readonly override?: GateOverride;
}

/** Every finding a gate can make. */
export const GATE_CODES = [
  "SHAPE_INVALID",
  "PARTS_DISAGREE",
  "OPTED_OUT_NAMED",
  "DAO_COUNT_FELL",
  "VOTES_FELL",
  "SCORE_JUMPED",
  "OPT_OUTS_FELL",
  "PREVIOUS_DAMAGED",
  "AS_OF_EARLIER",
  "AS_OF_FAR",
  "METHODOLOGY_CHANGED",
] as const;
export type GateCode = (typeof GATE_CODES)[number];
