import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lastingFolder } from "./run-folder.ts";

const BESIDE = fileURLToPath(new URL("../../../shared/data", import.meta.url));

/** What tests of real data are called where there is none; the reporter shows it beside "skipped". */
export const WITHOUT_REAL_DATA =
  "skipped: no real data (set GOVDATA_REAL_DATA to the folder of archive.tar.xz)";

/**
 * The real archive, unpacked; `undefined` where it is not there. It is unpacked once for all workers and later runs,
 * into a folder that stays, named after the pack: whoever is first moves his copy into place, whole or not at all.
 */
export function realArchive(): string | undefined {
  const pack = join(process.env["GOVDATA_REAL_DATA"] ?? BESIDE, "archive.tar.xz");
  if (!existsSync(pack)) return undefined;
  const { size, mtimeMs } = statSync(pack);
  const shared = join(lastingFolder(), `govdata-real-archive-${size}-${Math.floor(mtimeMs)}`);
  if (!existsSync(shared)) unpackTo(shared, pack);
  return shared;
}

function unpackTo(shared: string, pack: string): void {
  const own = mkdtempSync(`${shared}-`);
  try {
    mkdirSync(join(own, "archive"));
    execFileSync("tar", ["-xJf", pack, "-C", join(own, "archive"), "--strip-components=1"]);
    renameSync(join(own, "archive"), shared);
  } catch (error) {
    // Another worker was faster; a rename onto a folder with something in it fails.
    if (!existsSync(shared)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
