import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { lastingFolder } from "./run-folder.ts";

const BESIDE = fileURLToPath(new URL("../../../shared/data", import.meta.url));

/** The title of skipped tests of real data, which the reporter shows. */
export const WITHOUT_REAL_DATA =
  "skipped: no real data (set GOVDATA_REAL_DATA to the folder of archive.tar.xz)";

/**
 * Unpacks the real archive and returns its folder; `undefined` if there is none. It is unpacked only once for all workers
 * and later runs, into a folder named after the packed file. The first worker moves its copy there atomically.
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
  const folder = mkdtempSync(`${shared}-`);
  try {
    mkdirSync(join(folder, "archive"));
    execFileSync("tar", ["-xJf", pack, "-C", join(folder, "archive"), "--strip-components=1"]);
    renameSync(join(folder, "archive"), shared);
  } catch (error) {
    // Another worker was faster: a rename onto a non-empty folder fails.
    if (!existsSync(shared)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
