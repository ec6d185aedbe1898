import { z } from "zod";
import { Count, MethodologyVersion, ReasonCode, Sha256, SpaceId, Timestamp, VersionName } from "./ids.ts";
import { FORMAT_VERSION, SEQUENCE_MAX } from "./limits.ts";

/** The number of a publication: one higher than that of the previous version. */
const Sequence = z.int().min(1).max(SEQUENCE_MAX);

/** A file's path inside a version; never absolute, never with `..`. */
const FilePath = z
  .string()
  .regex(/^[a-z0-9][A-Za-z0-9._-]*(\/[a-z0-9][A-Za-z0-9._-]*)*$/)
  .refine((path) => !path.split("/").includes(".."), "leaves the version");

/** A publisher's name for its deployment, which separates deployments that sign with the same key. */
export const DeploymentName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);

/** One published file; `records` is 1 for a single document. */
export const ManifestFile = z.strictObject({
  path: FilePath,
  bytes: Count,
  sha256: Sha256,
  records: Count,
  media_type: z.enum(["application/json", "application/x-ndjson", "text/csv", "application/vnd.sqlite3"]),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

export const ManifestSource = z.strictObject({
  source_id: z.string().regex(/^[a-z][a-z-]{0,31}$/),
  fetched_at: Timestamp,
  spaces: Count,
  proposals: Count,
  votes: Count,
});
export type ManifestSource = z.infer<typeof ManifestSource>;

/** `manifest.json`: the files of a version with their hashes. It does not name its own version. */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT_VERSION),
  /** The deployment, if the publisher named it: a signature for one deployment is not valid for another. */
  deployment: DeploymentName.exactOptional(),
  methodology_version: MethodologyVersion,
  sequence: Sequence,
  previous: z.strictObject({ version: VersionName, sha256: Sha256 }).nullable(),
  replaces: VersionName.nullable(),
  created_at: Timestamp,
  as_of: Timestamp,
  sources: z.array(ManifestSource),
  redacted: z.boolean(),
  files: z.array(ManifestFile),
});
export type Manifest = z.infer<typeof Manifest>;

/** `current.json`: the only file that is ever rewritten. */
export const Pointer = z.strictObject({
  format: z.literal(FORMAT_VERSION),
  sequence: Sequence,
  version: VersionName,
  manifest: z.strictObject({ sha256: Sha256, bytes: Count }),
  published_at: Timestamp,
});
export type Pointer = z.infer<typeof Pointer>;

/** A row of input that was rejected or changed: where it is and why, never its content. */
export const RejectedRow = z.strictObject({
  space_id: SpaceId.nullable(),
  file: z.string(),
  line: Count.nullable(),
  code: ReasonCode,
  message: z.string(),
});
export type RejectedRow = z.infer<typeof RejectedRow>;

export const SpaceFetch = z.strictObject({
  space_id: SpaceId,
  source_id: z.string(),
  status: z.enum(["complete", "failed"]),
  fetched_at: Timestamp,
  error: z.strictObject({ code: ReasonCode, message: z.string() }).nullable(),
  proposals: Count,
  ballots: Count,
  votes: Count,
  delegate_lists: Count,
  logs: Count,
  rejected: z.record(ReasonCode, Count),
});
export type SpaceFetch = z.infer<typeof SpaceFetch>;

export const Finding = z.strictObject({
  code: ReasonCode,
  space_id: SpaceId.nullable(),
  message: z.string(),
});
export type Finding = z.infer<typeof Finding>;

export const SourceTraffic = z.strictObject({
  source_id: z.string(),
  requests: Count,
  /** Repeated requests; `requests` includes them. */
  retries: Count,
  /** Decompressed. */
  bytes: Count,
  rate_limited: Count,
});

export const NameLookups = z.strictObject({
  asked: Count,
  found: Count,
  without: Count,
  failed: Count,
  /** Left for a later run. */
  skipped: Count,
});

/** `run.json`: sources, fetch times, warnings, counts in and out, wall time; no secret, no wallet. */
export const RunReport = z.strictObject({
  run_id: z.string().regex(/^[0-9a-f]{16}$/),
  started_at: Timestamp,
  finished_at: Timestamp,
  as_of: Timestamp,
  fetches: z.array(SpaceFetch),
  rejected: z.array(RejectedRow),
  rejected_total: Count,
  findings: z.array(Finding),
  counts: z.strictObject({
    daos_tracked: Count,
    daos_scored: Count,
    daos_unscored: Count,
    entities_published: Count,
    delegate_listings: Count,
  }),
  /** One item per live source that this run fetched from. */
  traffic: z.array(SourceTraffic),
  names: NameLookups.nullable(),
  stages: z.array(z.strictObject({ stage: z.string(), wall_ms: Count })),
});
export type RunReport = z.infer<typeof RunReport>;
