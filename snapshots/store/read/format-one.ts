import { byMonth } from "../../format/delegate-months.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type LocatedVersion, manifestFile } from "./locate-version.ts";
import { parseDocument } from "./parse-document.ts";
import { invalidFile } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

// The remaining support for format 1. It had one file per dated listing, with the bytes that are a line in format 2; all
// other documents are the same. So its versions are compared without conversion, and only `redact` rewrites them.

const DAILY = /^delegates\/([^/]+)\/(\d{4}-\d{2}-\d{2})\.json$/;

/** Whether a path of format 1 is of a dated listing. */
export function isDailyListing(path: string): boolean {
  return DAILY.test(path);
}

/**
 * The dated listings of a version of format 1, ascending, by the path that their month has in format 2; none for other
 * formats. Throws `SnapshotFailure` if `days.csv`, from which the index is made, has other days.
 */
export function dailyListings({
  directory,
  manifest,
}: Pick<LocatedVersion, "directory" | "manifest">): ReadonlyMap<string, readonly ManifestFile[]> {
  const months = new Map<string, readonly ManifestFile[]>();
  if (manifest.format !== 1) return months;
  const bySpace = new Map<string, { readonly date: string; readonly file: ManifestFile }[]>();
  // Files are sorted by path, and so by day.
  for (const file of manifest.files) {
    const [, spaceId = "", date] = DAILY.exec(file.path) ?? [];
    if (date === undefined) continue;
    const own = bySpace.get(spaceId);
    if (own === undefined) bySpace.set(spaceId, [{ date, file }]);
    else own.push({ date, file });
  }
  for (const [spaceId, daily] of bySpace) {
    const path = PATHS.delegateDays(spaceId);
    const rows = parseDocument("delegateDays", path, readVerified(directory, manifestFile(manifest, path)));
    if (rows.map(({ date }) => date).join() !== daily.map(({ date }) => date).join()) {
      throw invalidFile(path, "is not of the days that have a listing");
    }
    for (const { month, days } of byMonth(daily)) {
      const files = days.map(({ file }) => file);
      months.set(PATHS.delegateMonth(spaceId, month), files);
    }
  }
  return months;
}
