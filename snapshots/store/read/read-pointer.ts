import { readdirSync } from "node:fs";
import type { z } from "zod";
import { DAY_MS } from "../../base/days.ts";
import { VersionName } from "../../format/ids.ts";
import { FORMAT_VERSION, POINTER_BYTES_MAX } from "../../format/limits.ts";
import { Pointer } from "../../format/manifest.ts";
import { invalidFile, isSnapshotFailure, type SnapshotFailure, snapshotFailure } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** Where and why a value violates its shape, without its content, which may be hostile. */
export function shapeComplaint(error: z.ZodError): string {
  const [first] = error.issues;
  if (first === undefined) return "does not have its shape";
  const place = first.path.map(String).join(".") || "the whole document";
  const others = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  return `${place}: ${first.message}${others}`;
}

/** Parses the JSON of a file without checking its shape; throws `SnapshotFailure` if it is not UTF-8 or not JSON. */
export function parseJson(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw invalidFile(path, "is not JSON in UTF-8", error);
  }
}

/** Parses the JSON of a file by its shape; throws `SnapshotFailure`. */
export function parseJsonFile<Shape extends z.ZodType>(
  path: string,
  bytes: Buffer,
  shape: Shape,
): z.output<Shape> {
  const parsed = shape.safeParse(parseJson(path, bytes));
  if (parsed.success) return parsed.data;
  throw invalidFile(path, shapeComplaint(parsed.error));
}

/** This many of the newest versions are kept, regardless of age. */
const KEPT_VERSIONS_MIN = 3;

/** Younger versions are kept, because a reader may have opened one just before the pointer moved. */
export const KEPT_YOUNGER_THAN_MS = 15 * 60_000;

/** Older versions are deleted. 400 days are a year of daily versions, and a month for comparisons. */
const KEPT_AGE_MAX_MS = 400 * DAY_MS;

/** Those names that are versions, oldest first by the time in the name. */
export function versionNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => VersionName.safeParse(name).success).toSorted();
}

/** The time of a version's run from its name, in milliseconds rounded to seconds. */
function versionAtMs(version: string): number {
  const name = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-.*$/;
  return Date.parse(version.replace(name, "$1-$2-$3T$4:$5:$6Z"));
}

/** The versions to delete at `nowMs`: past their age, not among the newest, and never the current one. */
export function expiredVersions(
  names: readonly string[],
  current: string,
  nowMs: number,
  keptAgeMs: number = KEPT_AGE_MAX_MS,
): readonly string[] {
  return versionNames(names)
    .slice(0, -KEPT_VERSIONS_MIN)
    .filter((version) => {
      const ageMs = nowMs - versionAtMs(version);
      return version !== current && ageMs >= KEPT_YOUNGER_THAN_MS && ageMs > keptAgeMs;
    });
}

/** The only file that is ever rewritten. */
export const POINTER_FILE = "current.json";

/** What reads the formats that this program does not. Format 2 was never released. */
const READERS: Readonly<Record<number, string>> = { 1: "govdata 0.6.0 reads it" };

function formatUnknown(path: string, format: number): SnapshotFailure {
  const reader =
    format > FORMAT_VERSION ? "a later release reads it" : (READERS[format] ?? "no release reads it");
  const message = `${path}: is of format ${format}; this program reads format ${FORMAT_VERSION}, ${reader}`;
  return snapshotFailure("SNAPSHOT_FORMAT_UNKNOWN", message, { path });
}

/** Parses a document with a `format` field; an unknown format has its own error instead of an invalid shape. */
export function parseFormatted<Shape extends z.ZodType>(
  path: string,
  bytes: Buffer,
  shape: Shape,
): z.output<Shape> {
  const value = parseJson(path, bytes);
  const format = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (typeof format === "number" && format !== FORMAT_VERSION) {
    throw formatUnknown(path, format);
  }
  const parsed = shape.safeParse(value);
  const complaint = parsed.success ? "is not canonical" : shapeComplaint(parsed.error);
  // Only canonical bytes, because a truncated end or a duplicate key could be read in two ways.
  if (parsed.success && Buffer.from(`${JSON.stringify(parsed.data)}\n`).equals(bytes)) return parsed.data;
  throw invalidFile(path, complaint);
}

/** All versions under a root, published or not; none if there is no root. */
export function versionsIn(root: string): readonly string[] {
  try {
    return versionNames(readdirSync(root));
  } catch {
    // The root does not exist.
    return [];
  }
}

/** Reads the pointer of a snapshot root and checks size, shape and format. Throws `SnapshotFailure`. */
export function readPointer(root: string): Pointer {
  try {
    const bytes = readCapped(root, POINTER_FILE, POINTER_BYTES_MAX, "SNAPSHOT_MISSING");
    return parseFormatted(POINTER_FILE, bytes, Pointer);
  } catch (error) {
    if (!(isSnapshotFailure(error) && error.code === "SNAPSHOT_MISSING")) throw error;
    const versions = versionsIn(root);
    const newest = versions.at(-1);
    if (newest === undefined) throw error;
    // A root with a lost pointer must not be mistaken for an empty one by the next publish.
    const message = `${POINTER_FILE}: is missing although versions are there: ${versions.length}, the newest ${newest}`;
    throw snapshotFailure("SNAPSHOT_MISSING", message, { path: POINTER_FILE, cause: error });
  }
}
