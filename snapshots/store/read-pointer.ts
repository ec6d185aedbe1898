import { readdirSync } from "node:fs";
import type { z } from "zod";
import { FORMAT_VERSION, POINTER_BYTES_MAX } from "../format/limits.ts";
import { Pointer } from "../format/manifest.ts";
import { parseJson, shapeComplaint } from "./parse-json-file.ts";
import { versionNames } from "./retention.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** The one file that is ever rewritten. */
export const POINTER_FILE = "current.json";

/** A document that says its own format; another format is refused as such, not as a broken shape. */
export function parseFormatted<Shape extends z.ZodType>(
  path: string,
  bytes: Buffer,
  shape: Shape,
): z.output<Shape> {
  const value = parseJson(path, bytes);
  const format = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (typeof format === "number" && format !== FORMAT_VERSION) {
    throw new SnapshotError(
      "SNAPSHOT_FORMAT_UNKNOWN",
      `${path}: is of format ${format}; this program reads format ${FORMAT_VERSION}`,
      { path },
    );
  }
  const parsed = shape.safeParse(value);
  const complaint = parsed.success ? "is not spelled canonically" : shapeComplaint(parsed.error);
  // One spelling only: a cut end, or a key given twice, could be read in two ways.
  if (parsed.success && Buffer.from(`${JSON.stringify(parsed.data)}\n`).equals(bytes)) return parsed.data;
  throw new SnapshotError("SNAPSHOT_INVALID", `${path}: ${complaint}`, { path });
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
