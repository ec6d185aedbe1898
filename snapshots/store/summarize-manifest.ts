import { setImmediate as pause } from "node:timers/promises";
import { Manifest, type ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { createDatedDigests, type DatedDigests } from "./dated-digests.ts";
import { assertInOrder, type ManifestHead, manifestInvalid } from "./locate-version.ts";
import { AFTER_ENTRIES, manifestEntries } from "./manifest-entries.ts";
import { parseFormatted } from "./read-pointer.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** What a reader has to know of the files of a version before it opens one. */
export interface FilesSummary {
  readonly index: ManifestFile;
  readonly dated: DatedDigests;
}

/** A manifest without the list of its files, but for those that were asked for. */
export interface ManifestSummary extends FilesSummary {
  readonly head: ManifestHead;
  readonly chosen: readonly ManifestFile[];
}

/** Whether a file is to be told of by itself. */
export type ChooseFile = (path: string) => boolean;

const CHOOSE_NONE: ChooseFile = () => false;

const FILES = '"files":[';

/** Sums up files that come in the order of their paths; throws `SnapshotError`. */
function createSummary(choose: ChooseFile): {
  readonly add: (files: readonly ManifestFile[]) => void;
  readonly end: () => FilesSummary & Pick<ManifestSummary, "chosen">;
} {
  const digests = createDatedDigests();
  const chosen: ManifestFile[] = [];
  let before = "";
  let index: ManifestFile | undefined;
  return {
    add(files) {
      for (const file of files) {
        assertInOrder(before, file.path);
        before = file.path;
        if (choose(file.path)) chosen.push(file);
        if (file.path === PATHS.index) index = file;
        else digests.add(file);
      }
    },
    end() {
      if (index === undefined) throw manifestInvalid(`does not name ${PATHS.index}`);
      return { index, dated: digests.end(), chosen };
    },
  };
}

/** The files that a manifest names, summed up; throws `SnapshotError`. */
export function summarizeFiles(files: readonly ManifestFile[]): FilesSummary {
  const summary = createSummary(CHOOSE_NONE);
  summary.add(files);
  const { index, dated } = summary.end();
  return { index, dated };
}

/** The manifest in one piece: what is unusual about it is said by its shape. */
function summarizePlainly(bytes: Buffer, choose: ChooseFile): ManifestSummary {
  const { files, ...head } = parseFormatted(PATHS.manifest, bytes, Manifest);
  const summary = createSummary(choose);
  summary.add(files);
  return { head, ...summary.end() };
}

/** What stands before the list of files; undefined where it is not that of a manifest as we spell it. */
function headBefore(bytes: Buffer, at: number): ManifestHead | undefined {
  const around = Buffer.concat([bytes.subarray(0, at), Buffer.from(`]${AFTER_ENTRIES}`)]);
  try {
    const { files: _none, ...head } = parseFormatted(PATHS.manifest, around, Manifest);
    return head;
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/**
 * A manifest's bytes without keeping its files, in slices between which others can work; it takes and refuses what
 * `readManifest` does. Throws `SnapshotError`.
 */
export async function summarizeManifest(
  bytes: Buffer,
  choose: ChooseFile = CHOOSE_NONE,
): Promise<ManifestSummary> {
  const at = bytes.indexOf(FILES) + FILES.length;
  const head = at < FILES.length ? undefined : headBefore(bytes, at);
  if (head === undefined) return summarizePlainly(bytes, choose);
  const summary = createSummary(choose);
  const entries = manifestEntries(bytes, at);
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    summary.add(next.value);
    await pause();
  }
  return next.value ? { head, ...summary.end() } : summarizePlainly(bytes, choose);
}
