import type { ServerResponse } from "node:http";
import type { Problem } from "./problems.ts";

// Refusals are rare beside answers, so a map beside them costs less than a field on each.
const told = new WeakMap<ServerResponse, Problem>();

/** Notes what a request ran into, for whoever counts. */
export function noteProblem(response: ServerResponse, problem: Problem): void {
  told.set(response, problem);
}

/** What a request ran into, or nothing where it was answered. */
export function notedProblem(response: ServerResponse): Problem | undefined {
  return told.get(response);
}
