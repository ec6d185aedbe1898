import { sortedJson } from "../../snapshots/format/canonical-json.ts";

/** Canonical text of a proposal's voting strategies: equal ones give equal text; `undefined` where it has none. */
export function strategiesKey(strategies: readonly unknown[] | null | undefined): string | undefined {
  return strategies == null || strategies.length === 0 ? undefined : sortedJson(strategies);
}
