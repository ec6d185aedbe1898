import { checkAgreement } from "./check-agreement.ts";
import { checkDerivation, type DerivedOtherwise } from "./check-derivation.ts";
import { checkPlausibility, type PlausibilityInput } from "./check-plausibility.ts";
import { checkPrivacy, type HiddenEntity } from "./check-privacy.ts";
import { checkRejectedRows } from "./check-rejected-rows.ts";
import { checkShapes } from "./check-shapes.ts";
import { checkTime, type TimeInput } from "./check-time.ts";
import type { GateFinding } from "./gate-finding.ts";
import type { FetchedRows } from "./previous-version.ts";
import { refuseUnless } from "./refuse-unless.ts";

/** What stands before a version is written. */
export interface GateInput extends Omit<PlausibilityInput, "optOuts">, Omit<TimeInput, "set"> {
  /** The entities of the registry that opted out. */
  readonly optedOut: readonly HiddenEntity[];
  /** How many opted out, where that is not the number of `optedOut`: a list of live opt-outs may be counted by itself. */
  readonly optOuts?: number;
  /** What the last whole fetch of each DAO brought. */
  readonly rows: readonly FetchedRows[];
  /** Every number of the set that does not follow again from its evidence. */
  readonly differences: readonly DerivedOtherwise[];
}

/**
 * Everything that must hold before a byte is written, in the order of `GATE_RULES`. Answers all findings; with one of
 * severity `refuse` nothing may be published. Sums and privacy are looked at even where a shape fails.
 */
export function checkGates(input: GateInput): readonly GateFinding[] {
  const { set, optedOut, rows, differences } = input;
  const refuse = refuseUnless(input.overrides);
  const previous = input.previous === undefined || "damage" in input.previous ? undefined : input.previous;
  return [
    ...checkShapes(set),
    ...checkAgreement(set),
    ...checkPrivacy(set, optedOut),
    ...checkDerivation(differences, refuse),
    ...checkTime(input, previous, refuse),
    ...checkRejectedRows(rows, previous?.rows ?? [], refuse),
    ...checkPlausibility({ ...input, optOuts: input.optOuts ?? optedOut.length }),
  ];
}
