import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TrackedDao } from "../../facts/tracked.ts";

/** What the name of a DAO's own file, or folder, ends in. */
const OWN: readonly (readonly [folder: string, ending: string])[] = [
  ["spaces", ".json"],
  ["proposals", ".ndjson"],
  ["votes", ".ndjson"],
  ["delegates", ""],
];

/** Names in a folder; none where it is not there or cannot be read: the fetch itself says what is wrong with it. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The spaces that an archive has files of, by the names of these alone, in order; a name may be any text. */
export function archivedSpaces(directory: string): readonly string[] {
  const spaceIds = OWN.flatMap(([folder, ending]) =>
    namesIn(join(directory, folder))
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, name.length - ending.length)),
  );
  return [...new Set(spaceIds)].sort();
}

/** Whether an archive has logs of a DAO's token, or what a node said about it. */
export function hasArchivedChain(directory: string, { spaceId, governor }: TrackedDao): boolean {
  if (governor === undefined) return false;
  const { chainId, token } = governor;
  return (
    namesIn(join(directory, "logs")).includes(`${chainId}-${token}.ndjson`) ||
    namesIn(join(directory, "chains", String(chainId))).includes(`${spaceId}.ndjson`)
  );
}
