import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-book.ts";
import type { Readiness } from "./readiness.ts";

/** What `/readyz` says once it is known whether entities are served. */
export interface ShownReadiness {
  readonly httpStatus: Readiness["httpStatus"];
  readonly body: Readiness["body"] & { readonly entities?: "withheld" };
}

/**
 * The judgement on the version, and beside it that no entity is served while nobody knows who opted out. Everything
 * else still is, so this degrades and never takes the server out of traffic.
 */
export function withWithheldEntities(
  readiness: Readiness,
  problem: OptOutsErrorCode | undefined,
): ShownReadiness {
  if (problem === undefined) return readiness;
  const { httpStatus, body } = readiness;
  const isReady = body.status === "ready";
  const shown = isReady ? { ...body, status: "degraded" as const, reason: problem } : body;
  return { httpStatus, body: { ...shown, entities: "withheld" } };
}
