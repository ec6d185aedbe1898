import { lstatSync, opendirSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { SIGNATURE_BYTES } from "./manifest-signature.ts";
import { problemWith, type SnapshotProblem } from "./snapshot-error.ts";
import { fileProblem, forEachInFlight, openProblem } from "./verified-file.ts";

/** Files read at a time: enough to hide the waiting, few enough to stay small in memory. */
const FILES_IN_FLIGHT = 16;

/** A version stuffed with files is told of so many of them. */
const STRANGERS_MAX = 1000;

const notListed = (path: string): SnapshotProblem =>
  problemWith(path, "FILE_NOT_LISTED", "is not named by the manifest");

/** Every file the manifest names, by kind, size and hash; and everything that lies there without being named. */
export async function verifyFiles(
  directory: string,
  manifest: Manifest,
): Promise<readonly SnapshotProblem[]> {
  const problems: SnapshotProblem[] = [];
  await forEachInFlight(manifest.files, FILES_IN_FLIGHT, async (file) => {
    const found = await fileProblem(directory, file);
    if (found !== undefined) problems.push(found);
  });
  problems.sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...problems, ...unnamedProblems(directory, manifest)];
}

/** What lies there without being named by the manifest, and a signature that can be none. */
export function unnamedProblems(
  directory: string,
  manifest: { readonly files: readonly Pick<ManifestFile, "path">[] },
): readonly SnapshotProblem[] {
  // A signature is of the manifest, so the manifest cannot name it.
  const named = new Set([PATHS.manifest, PATHS.signature, ...manifest.files.map((file) => file.path)]);
  const strangers: SnapshotProblem[] = [];
  for (const stranger of strangersUnder(directory, named)) {
    if (strangers.push(stranger) === STRANGERS_MAX) break;
  }
  strangers.sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...signatureProblems(directory), ...strangers];
}

/** What lies under a version without being named: files, empty folders, and what is neither; in pieces, as it may be endless. */
function* strangersUnder(
  directory: string,
  named: ReadonlySet<string>,
  prefix = "",
): Generator<SnapshotProblem> {
  let isEmpty = true;
  try {
    const folder = opendirSync(join(directory, prefix));
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        isEmpty = false;
        const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
        if (entry.isDirectory()) yield* strangersUnder(directory, named, path);
        else if (!named.has(path)) yield notListed(path);
      }
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    yield openProblem(prefix === "" ? PATHS.manifest : prefix, error);
    return;
  }
  if (isEmpty && prefix !== "") yield notListed(prefix);
}

/** Without a key nobody can say whose a signature is, but what is no signature at all has no business there. */
function signatureProblems(directory: string): readonly SnapshotProblem[] {
  const path = PATHS.signature;
  const stat = lstatSync(join(directory, path), { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && stat.size === SIGNATURE_BYTES)) return [];
  return [problemWith(path, "FILE_WRONG_SIZE", `is no file of ${SIGNATURE_BYTES} bytes`)];
}
