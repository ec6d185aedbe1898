import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { forEachInFlight } from "./in-flight.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";
import { fileProblem } from "./verified-file.ts";

/** Files read at a time: enough to hide the waiting, few enough to stay small in memory. */
const FILES_IN_FLIGHT = 16;

/** Every path under a version that is not a folder, and every folder without one, with forward slashes. */
function pathsUnder(directory: string, prefix = ""): readonly string[] {
  const entries = readdirSync(join(directory, prefix), { withFileTypes: true });
  if (entries.length === 0 && prefix !== "") return [prefix];
  return entries.flatMap((entry) => {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? pathsUnder(directory, path) : [path];
  });
}

/** Every file the manifest names, by kind, size and hash; and everything that lies there without being named. */
export async function verifyFiles(
  directory: string,
  manifest: Manifest,
): Promise<readonly SnapshotProblem[]> {
  const named = new Set([PATHS.manifest, ...manifest.files.map((file) => file.path)]);
  const problems: SnapshotProblem[] = [];
  await forEachInFlight(manifest.files, FILES_IN_FLIGHT, async (file) => {
    const found = await fileProblem(directory, file);
    if (found !== undefined) problems.push(found);
  });
  problems.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const path of pathsUnder(directory)) {
    if (named.has(path)) continue;
    problems.push({ path, code: "FILE_NOT_LISTED", message: `${path}: is not named by the manifest` });
  }
  return problems;
}
