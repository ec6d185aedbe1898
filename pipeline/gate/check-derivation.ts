import type { GateFinding } from "./gate-finding.ts";
import type { Refuse } from "./refuse-unless.ts";

/** A number that its evidence gives otherwise; who derives is no business of a gate. */
export interface DerivedOtherwise {
  readonly path: string;
  readonly published: unknown;
  readonly recomputed: unknown;
}

/** So many are named; one fault of ours shows in hundreds of numbers. */
const NAMED_MAX = 5;

const spelled = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Numbers of the version that do not follow from its own evidence. */
export function checkDerivation(
  differences: readonly DerivedOtherwise[],
  refuse: Refuse,
): readonly GateFinding[] {
  const named = differences.slice(0, NAMED_MAX).map(({ path, published, recomputed }) => {
    const message = `${path}: is ${spelled(published)}, but its evidence gives ${spelled(recomputed)}`;
    return refuse("EVIDENCE_DIFFERS", message);
  });
  const others = differences.length - named.length;
  if (others === 0) return named;
  return [...named, refuse("EVIDENCE_DIFFERS", `${others} more numbers do not follow from their evidence`)];
}
