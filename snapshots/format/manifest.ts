import { z } from "zod";
import { MethodologyVersion, Sha256, Timestamp, VersionName } from "./ids.ts";
import { FORMAT_VERSION } from "./limits.ts";
import { Count, Rank } from "./numbers.ts";

/** A file's place inside a version; never absolute, never upwards. */
const FilePath = z
  .string()
  .regex(/^[a-z0-9][A-Za-z0-9._-]*(\/[a-z0-9][A-Za-z0-9._-]*)*$/)
  .refine((path) => !path.split("/").includes(".."), "leaves the version");

/** One published file; `records` is 1 for a single document. */
export const ManifestFile = z.strictObject({
  path: FilePath,
  bytes: Count,
  sha256: Sha256,
  records: Count,
  media_type: z.enum(["application/json", "application/x-ndjson", "text/csv", "application/vnd.sqlite3"]),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

/** What one source gave to this version. */
export const ManifestSource = z.strictObject({
  source_id: z.string().regex(/^[a-z][a-z-]{0,31}$/),
  fetched_at: Timestamp,
  spaces: Count,
  proposals: Count,
  votes: Count,
});
export type ManifestSource = z.infer<typeof ManifestSource>;

/** `manifest.json`: everything a version holds, by hash. It does not name its own version. */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT_VERSION),
  methodology_version: MethodologyVersion,
  sequence: Rank,
  previous: z.strictObject({ version: VersionName, sha256: Sha256 }).nullable(),
  replaces: VersionName.nullable(),
  created_at: Timestamp,
  as_of: Timestamp,
  sources: z.array(ManifestSource),
  redacted: z.boolean(),
  files: z.array(ManifestFile),
});
export type Manifest = z.infer<typeof Manifest>;

/** `current.json`: the one file that is ever rewritten. */
export const Pointer = z.strictObject({
  format: z.literal(FORMAT_VERSION),
  sequence: Rank,
  version: VersionName,
  manifest: z.strictObject({ sha256: Sha256, bytes: Count }),
  published_at: Timestamp,
});
export type Pointer = z.infer<typeof Pointer>;
