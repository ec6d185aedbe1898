import { type CheckedSet, checkSet } from "../../snapshots/format/agreement/check-set.ts";
import type { HiddenEntity } from "../../snapshots/format/hidden-entities.ts";
import { checkRejectedRows, checkTime, type TimeInput } from "./check-fetches.ts";
import { checkPlausibility, type PlausibilityInput } from "./check-plausibility.ts";
import { checkPrivacy } from "./check-privacy.ts";
import { type GateFinding, type Refuse, refuseUnless } from "./gate-rules.ts";
import type { FetchedRows } from "./previous-version.ts";

/** What stands before a version is written. */
export interface GateInput extends Omit<PlausibilityInput, "optOuts">, Omit<TimeInput, "set"> {
  /** The entities of the registry that opted out. */
  readonly optedOut: readonly HiddenEntity[];
  /** How many opted out, where that is not the number of `optedOut`: a list of live opt-outs may be counted by itself. */
  readonly optOuts?: number;
  /** What the last whole fetch of each DAO brought. */
  readonly rows: readonly FetchedRows[];
  /** The set derived again from its evidence; absent where it has none. */
  readonly derived: DerivedSet | undefined;
}

/** What deriving a set again found; who derives is no business of a gate. */
export interface DerivedSet {
  /** Every number that the evidence gives otherwise. */
  readonly differences: readonly {
    readonly path: string;
    readonly published: unknown;
    readonly recomputed: unknown;
  }[];
}

/** What the gates say of a version. */
export interface GateResult {
  readonly findings: readonly GateFinding[];
  /** What may be published; absent where a finding refuses. */
  readonly checked: CheckedSet | undefined;
}

/**
 * Everything that must hold before a byte is written, in the order of `GATE_RULES`. Answers all findings: sums and
 * privacy are looked at even where a shape fails.
 */
export function checkGates(input: GateInput): GateResult {
  const { set, optedOut, rows, derived } = input;
  const refuse = refuseUnless(input.overrides);
  const previous = input.previous === undefined || "damage" in input.previous ? undefined : input.previous;
  const { checked, problems } = checkSet(set);
  const findings = [
    ...problems.map(({ code, message }) =>
      refuse(code === "SHAPE_INVALID" ? "SHAPE_INVALID" : "PARTS_DISAGREE", message),
    ),
    ...checkPrivacy(set, optedOut),
    ...checkDerivation(derived, refuse),
    ...checkTime(input, previous, refuse),
    ...checkRejectedRows(rows, previous?.rows ?? [], refuse),
    ...checkPlausibility({ ...input, optOuts: input.optOuts ?? optedOut.length }),
  ];
  const isRefused = findings.some(({ severity }) => severity === "refuse");
  return { findings, checked: isRefused ? undefined : checked };
}

/** So many are named; one fault of ours shows in hundreds of numbers. */
const NAMED_MAX = 5;

const spelled = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Numbers of the version that do not follow from its own evidence. */
function checkDerivation(derived: DerivedSet | undefined, refuse: Refuse): readonly GateFinding[] {
  const differences = derived?.differences ?? [];
  const named = differences.slice(0, NAMED_MAX).map(({ path, published, recomputed }) => {
    const message = `${path}: is ${spelled(published)}, but its evidence gives ${spelled(recomputed)}`;
    return refuse("EVIDENCE_DIFFERS", message);
  });
  const others = differences.length - named.length;
  if (others === 0) return named;
  return [...named, refuse("EVIDENCE_DIFFERS", `${others} more numbers do not follow from their evidence`)];
}
