import type { ServerResponse } from "node:http";
import type { Situation } from "./situations.ts";

// Refusals are rare beside answers, so a map beside them costs less than a field on each.
const told = new WeakMap<ServerResponse, Situation>();

/** Notes what a request ran into, for whoever counts. */
export function tellSituation(response: ServerResponse, situation: Situation): void {
  told.set(response, situation);
}

/** What a request ran into, or nothing where it was answered. */
export function toldSituation(response: ServerResponse): Situation | undefined {
  return told.get(response);
}
