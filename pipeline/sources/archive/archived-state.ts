import { createHash } from "node:crypto";
import { type BigIntStats, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TrackedDao } from "../../facts/tracked.ts";

/** To be raised when the same files would be read otherwise than before. */
const READING = 1;

/** A file that was changed so shortly ago may change once more within one tick of its clock, and look the same. */
const SETTLED_AFTER_MS = 2_000;

function filesOf(directory: string, spaceId: string): readonly string[] {
  const files = [`spaces/${spaceId}.json`, `proposals/${spaceId}.ndjson`, `votes/${spaceId}.ndjson`];
  const lists = `delegates/${spaceId}`;
  const isThere = statSync(join(directory, lists), { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere
    ? [...files, ...readdirSync(join(directory, lists)).map((name) => `${lists}/${name}`)]
    : files;
}

/** What changes when a file is written, replaced or put back from elsewhere; nobody sets the last of them by hand. */
function marksOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): readonly bigint[] {
  return [dev, ino, size, mtimeNs, ctimeNs];
}

/**
 * What tells the files of one DAO from any others, without reading them; `undefined` where there are none, where they
 * were changed just now, and for a DAO whose chain is read: its records are files of other names.
 */
export function archivedState(directory: string, dao: TrackedDao, nowMs: number): string | undefined {
  if (dao.governor !== undefined) return undefined;
  const hash = createHash("sha256").update(`${READING} ${dao.spaceId}\n`);
  let count = 0;
  for (const file of filesOf(directory, dao.spaceId).toSorted()) {
    const found = statSync(join(directory, file), { bigint: true, throwIfNoEntry: false });
    if (found === undefined) continue;
    const changedMs = Math.max(Number(found.mtimeMs), Number(found.ctimeMs));
    if (changedMs > nowMs - SETTLED_AFTER_MS) return undefined;
    hash.update(`${file} ${marksOf(found).join(" ")}\n`);
    count += 1;
  }
  return count === 0 ? undefined : hash.digest("hex");
}
