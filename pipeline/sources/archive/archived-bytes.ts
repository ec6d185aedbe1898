import { statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of the files of one DAO that are read line by line: nearly all there is of it. A file that is missing has none. */
export function archivedBytes(directory: string, spaceId: string): number {
  return ["proposals", "votes"].reduce((sum, folder) => {
    const found = statSync(join(directory, folder, `${spaceId}.ndjson`), { throwIfNoEntry: false });
    return sum + (found?.size ?? 0);
  }, 0);
}
