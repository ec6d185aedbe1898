import { type CheckedSet, checkSet } from "../../snapshots/format/agreement/check-set.ts";
import { checkRejectedRows, checkTime } from "./check-fetches.ts";
import { checkPlausibility } from "./check-plausibility.ts";
import { checkPrivacy } from "./check-privacy.ts";
import type { GateInput } from "./gate-input.ts";
import { finding, type GateFinding, letPass } from "./gate-rules.ts";

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
  const { set, optedOut, rows, differences, overrides } = input;
  const previous = input.previous === undefined || "damage" in input.previous ? undefined : input.previous;
  const { checked, problems } = checkSet(set);
  const found = [
    ...problems.map(({ code, message }) =>
      finding(code === "SHAPE_INVALID" ? "SHAPE_INVALID" : "PARTS_DISAGREE", message),
    ),
    ...checkPrivacy(set, optedOut),
    ...checkDerivation(differences),
    ...checkTime(input, previous),
    ...checkRejectedRows(rows, previous?.rows ?? []),
    ...checkPlausibility(input),
  ];
  const findings = letPass(found, overrides);
  const isRefused = findings.some(({ severity }) => severity === "refuse");
  return { findings, checked: isRefused ? undefined : checked };
}

/** So many are named; one fault of ours shows in hundreds of numbers. */
const NAMED_MAX = 5;

const spelled = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Numbers of the version that do not follow from its own evidence. */
function checkDerivation(differences: GateInput["differences"]): readonly GateFinding[] {
  const named = differences.slice(0, NAMED_MAX).map(({ path, published, recomputed }) => {
    const message = `${path}: is ${spelled(published)}, but its evidence gives ${spelled(recomputed)}`;
    return finding("EVIDENCE_DIFFERS", message);
  });
  const others = differences.length - named.length;
  if (others === 0) return named;
  return [...named, finding("EVIDENCE_DIFFERS", `${others} more numbers do not follow from their evidence`)];
}
