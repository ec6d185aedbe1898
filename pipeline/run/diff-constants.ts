import type { Evidence } from "../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";

/** A constant that is published and differs; `undefined` where one side has none of that name. */
export interface ChangedConstant {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The constants that evidence carries: the method's version, and every weight. */
function constantsOf({
  methodology_version: version,
  components,
  completeness,
}: Evidence): Map<string, string> {
  return new Map([
    ["methodology", version],
    ...COMPONENT_KEYS.flatMap((key) =>
      components[key].indicators.map(({ id, weight }) => [`weight of ${key} ${id}`, String(weight)] as const),
    ),
    ...completeness.parts.map(({ id, weight }) => [`weight of completeness ${id}`, String(weight)] as const),
  ]);
}

/** Which published constants two versions do not share, by any DAO's evidence on either side. */
export function changedConstants(
  before: Evidence | undefined,
  after: Evidence | undefined,
): readonly ChangedConstant[] {
  if (before === undefined || after === undefined) return [];
  const [old, now] = [constantsOf(before), constantsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((name) => ({ name, before: old.get(name), after: now.get(name) }))
    .filter(({ before: a, after: b }) => a !== b);
}
