import { checkAgreement } from "./check-agreement.ts";
import { checkPlausibility, type PlausibilityInput } from "./check-plausibility.ts";
import { checkPrivacy, type HiddenEntity } from "./check-privacy.ts";
import { checkShapes } from "./check-shapes.ts";
import type { GateFinding } from "./gate-finding.ts";

/** What stands before a version is written. */
export interface GateInput extends Omit<PlausibilityInput, "optOuts"> {
  /** The entities of the registry that opted out. */
  readonly optedOut: readonly HiddenEntity[];
  /** How many opted out, where that is not the number of `optedOut`: a list of live opt-outs may be counted by itself. */
  readonly optOuts?: number;
}

/**
 * Everything that must hold before a byte is written: shapes, sums, privacy, plausibility. Answers all findings, in that
 * order; with one of severity `refuse` nothing may be published. Sums and privacy are looked at even where a shape fails.
 */
export function checkGates(input: GateInput): readonly GateFinding[] {
  const { set, optedOut } = input;
  return [
    ...checkShapes(set),
    ...checkAgreement(set),
    ...checkPrivacy(set, optedOut),
    ...checkPlausibility({ ...input, optOuts: input.optOuts ?? optedOut.length }),
  ];
}
