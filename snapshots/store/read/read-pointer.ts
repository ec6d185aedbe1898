import { readdirSync } from "node:fs";
import type { z } from "zod";
import { VersionName } from "../../format/ids.ts";
import { FORMAT_VERSION, FORMATS_READ, POINTER_BYTES_MAX } from "../../format/limits.ts";
import { Pointer } from "../../format/manifest.ts";
import { invalidFile, SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** Where and why a value does not have its shape, without its content: it may be hostile. */
export function shapeComplaint(error: z.ZodError): string {
  const [first] = error.issues;
  if (first === undefined) return "does not have its shape";
  const place = first.path.map(String).join(".") || "the whole document";
  const others = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  return `${place}: ${first.message}${others}`;
}

/** The JSON in a file's bytes, not yet of any shape; throws `SnapshotError` where it is not UTF-8 or not JSON. */
export function parseJson(path: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw invalidFile(path, "is not JSON in UTF-8", error);
  }
}

/** A file's bytes as a value of its shape; throws `SnapshotError`. */
export function parseJsonFile<Shape extends z.ZodType>(
  path: string,
  bytes: Buffer,
  shape: Shape,
): z.output<Shape> {
  const parsed = shape.safeParse(parseJson(path, bytes));
  if (parsed.success) return parsed.data;
  throw invalidFile(path, shapeComplaint(parsed.error));
}

/** So many of the newest versions stay, whatever their age. */
const KEPT_VERSIONS_MIN = 3;

/** A version younger than this stays: a reader may have opened it a moment before the pointer moved. */
export const KEPT_YOUNGER_THAN_MS = 15 * 60_000;

/** An older version goes. 400 days are a year of daily versions and a month to compare it with. */
export const KEPT_AGE_MAX_MS = 400 * 86_400_000;

/** The names among those under a snapshot root that are versions, oldest first by the time in their names. */
export function versionNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => VersionName.safeParse(name).success).toSorted();
}

/** When the run behind a version was, in whole seconds, from its name. */
export function versionAtMs(version: string): number {
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

/** The one file that is ever rewritten. */
export const POINTER_FILE = "current.json";

/** The refusal of a format other than that of this program. */
export function formatUnknown(path: string, format: number): SnapshotError {
  const message = `${path}: is of format ${format}; this program reads format ${FORMAT_VERSION}`;
  return new SnapshotError("SNAPSHOT_FORMAT_UNKNOWN", message, { path });
}

/** A document that says its own format; another format is refused as such, not as a broken shape. */
export function parseFormatted<Shape extends z.ZodType>(
  path: string,
  bytes: Buffer,
  shape: Shape,
): z.output<Shape> {
  const value = parseJson(path, bytes);
  const format = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (typeof format === "number" && !FORMATS_READ.some((each) => each === format)) {
    throw formatUnknown(path, format);
  }
  const parsed = shape.safeParse(value);
  const complaint = parsed.success ? "is not spelled canonically" : shapeComplaint(parsed.error);
  // One spelling only: a cut end, or a key given twice, could be read in two ways.
  if (parsed.success && Buffer.from(`${JSON.stringify(parsed.data)}\n`).equals(bytes)) return parsed.data;
  throw invalidFile(path, complaint);
}

/** The versions that lie under a root, whatever its pointer says; none where there is no root. */
export function versionsIn(root: string): readonly string[] {
  try {
    return versionNames(readdirSync(root));
  } catch {
    // No folder, no version.
    return [];
  }
}

/** The pointer of a snapshot root, checked: size, shape, format. Throws `SnapshotError`. */
export function readPointer(root: string): Pointer {
  try {
    const bytes = readCapped(root, POINTER_FILE, POINTER_BYTES_MAX, "SNAPSHOT_MISSING");
    return parseFormatted(POINTER_FILE, bytes, Pointer);
  } catch (error) {
    if (!(error instanceof SnapshotError && error.code === "SNAPSHOT_MISSING")) throw error;
    const versions = versionsIn(root);
    const newest = versions.at(-1);
    if (newest === undefined) throw error;
    // A lost pointer is no empty root, and whoever publishes next must not take it for one.
    const message = `${POINTER_FILE}: is missing although versions are there: ${versions.length}, the newest ${newest}`;
    throw new SnapshotError("SNAPSHOT_MISSING", message, { path: POINTER_FILE, cause: error });
  }
}
