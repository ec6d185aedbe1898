import { z } from "zod";
import { ReasonCode, Timestamp, VersionName } from "../../snapshots/format/ids.ts";
import type { SnapshotStatus } from "./snapshot-source.ts";

export const Liveness = z
  .strictObject({ status: z.literal("alive").describe("Always `alive`.") })
  .meta({ id: "Liveness", description: "The process is alive." });

const Body = z.strictObject({
  status: z
    .enum(["ready", "degraded", "unavailable"])
    .describe("`degraded`: the last good version is served, and `reason` says what is wrong."),
  reason: ReasonCode.exactOptional().describe("A stable code for what is wrong."),
  refused_version: VersionName.exactOptional().describe(
    "The version that the reason is about, if it is not the one being served.",
  ),
  version: VersionName.exactOptional().describe("The version being served."),
  sequence: z.int().min(1).exactOptional().describe("Its number; each new version has a higher one."),
  as_of: Timestamp.exactOptional().describe("The moment that its data describes."),
  published_at: Timestamp.exactOptional().describe("When it was published."),
  entities: z
    .literal("withheld")
    .exactOptional()
    .describe("Present while the opt-outs cannot be read: no entity is served."),
  signatures: z
    .literal("unchecked")
    .exactOptional()
    .describe("Present while copied versions are served without checking who signed them."),
});

const withStatus = <Status extends z.ZodType>(status: Status) =>
  Body.extend({ status: status.describe(Body.shape.status.description ?? "") });

export const Ready = withStatus(z.enum(["ready", "degraded"])).meta({
  id: "Ready",
  description: "Data is served.",
});

export const Unready = withStatus(z.literal("unavailable")).meta({
  id: "Unready",
  description: "There is no data, it is too old, or no request can be admitted.",
});

/** The response of `/readyz`: tells machines whether to send traffic here, and people why not. */
export interface Readiness {
  readonly httpStatus: 200 | 503;
  readonly body: z.output<typeof Body>;
}

interface ReadinessFacts {
  readonly nowMs: number;
  readonly maxAgeMs: number | undefined;
  readonly isStopping: boolean;
  /** Whether versions are copied from a remote without a check of signatures. */
  readonly isUnsignedCopy: boolean;
  /** The code of why no request is admitted at the moment. */
  readonly storeProblem: string | undefined;
  /** Whether an account gets nothing because its count is none. */
  readonly hasInvalidCount?: boolean;
}

/**
 * Returns the readiness. No version, one that is too old, or a store that is down is "unavailable". The last good version
 * instead of a newer one, or one without its entities, is "degraded", which never takes the server out of traffic.
 */
export function readinessOf(status: SnapshotStatus, facts: ReadinessFacts): Readiness {
  const { httpStatus, body } = judge(status, facts);
  const { optOutsProblem } = status;
  const reason = optOutsProblem ?? (facts.hasInvalidCount === true ? "QUOTA_COUNT_INVALID" : undefined);
  const isDegraded = body.status === "ready" && reason !== undefined;
  return {
    httpStatus,
    body: {
      ...body,
      ...(isDegraded ? { status: "degraded", reason } : {}),
      ...(optOutsProblem === undefined ? {} : { entities: "withheld" }),
      ...(facts.isUnsignedCopy ? { signatures: "unchecked" } : {}),
    },
  };
}

function judge(
  { serving, problem, refusedVersion, remote }: SnapshotStatus,
  { nowMs, maxAgeMs, isStopping, storeProblem }: ReadinessFacts,
): Readiness {
  const refused = refusedVersion === undefined ? {} : { refused_version: refusedVersion };
  const unavailable = (reason: string, more: object): Readiness => ({
    httpStatus: 503,
    body: { status: "unavailable", reason, ...more },
  });
  if (serving === undefined) return unavailable(problem ?? "SNAPSHOT_MISSING", refused);
  const { as_of, created_at } = serving.manifest;
  const served = { version: serving.version, sequence: serving.sequence, as_of, published_at: created_at };
  if (isStopping) return unavailable("SHUTTING_DOWN", served);
  // The age since publication, not of the data: it shows a publisher that stopped or was cut off.
  const isStale = maxAgeMs !== undefined && nowMs - Date.parse(created_at) > maxAgeMs;
  if (isStale) return unavailable("SNAPSHOT_STALE", served);
  // Every request gets 503, so a front server should use another process.
  if (storeProblem !== undefined) return unavailable(storeProblem, served);
  const degraded = (reason: string, more: object): Readiness => ({
    httpStatus: 200,
    body: { status: "degraded", reason, ...more, ...served },
  });
  if (problem !== undefined) return degraded(problem, refused);
  // The copy is good but may be behind the remote: callers are served, and the operator should know.
  if (remote?.problem !== undefined) {
    const refusal = remote.refusedVersion === undefined ? {} : { refused_version: remote.refusedVersion };
    return degraded(remote.problem, refusal);
  }
  return { httpStatus: 200, body: { status: "ready", ...served } };
}
