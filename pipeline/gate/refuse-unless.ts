import type { Compared, GateCode, GateFinding, GateOverride } from "./gate-finding.ts";
import { GATE_LIMITS, GATE_RULES } from "./gate-rules.ts";

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
