import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import type { GovernanceSource } from "../../facts/governance-source.ts";
import type { TrackedDao } from "../../facts/tracked.ts";
import { fetchChain } from "./fetch-chain.ts";
import { fetchDelegateLists } from "./fetch-delegate-lists.ts";
import { fetchLogs, fetchProposals, fetchSpaceObject, fetchVotes } from "./fetch-records.ts";

/** Bytes of the files of one DAO that are read line by line: nearly all there is of it. A file that is missing has none. */
export function archivedBytes(directory: string, spaceId: string): number {
  return ["proposals", "votes"].reduce((sum, folder) => {
    const found = statSync(join(directory, folder, `${spaceId}.ndjson`), { throwIfNoEntry: false });
    return sum + (found?.size ?? 0);
  }, 0);
}

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

/** To be raised when the same files would be read otherwise than before. */
const READING = 1;

/** A file that was changed so shortly ago may change once more within one tick of its clock, and look the same. */
const SETTLED_AFTER_MS = 2_000;

function filesOf(directory: string, spaceId: string): readonly string[] {
  const files = [`spaces/${spaceId}.json`, `proposals/${spaceId}.ndjson`, `votes/${spaceId}.ndjson`];
  const lists = `delegates/${spaceId}`;
  return [...files, ...namesIn(join(directory, lists)).map((name) => `${lists}/${name}`)];
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
    // What changes when a file is written, replaced or put back from elsewhere; nobody sets the last of them by hand.
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    hash.update(`${[file, dev, ino, size, mtimeNs, ctimeNs].join(" ")}\n`);
    count += 1;
  }
  return count === 0 ? undefined : hash.digest("hex");
}

/**
 * A folder of upstream objects, replayed (fixtures/README.md shows its layout). What it does not hold is no such data;
 * a DAO of which it holds nothing at all fails. A path is made of the registry's ids alone, never of what a file says.
 */
export function createArchiveSource({ directory }: { readonly directory: string }): GovernanceSource {
  return {
    sourceId: "archive",
    stateOf: (dao, nowMs) => archivedState(directory, dao, nowMs),
    async fetchSpace(dao, sink) {
      const { spaceId, governor } = dao;
      const reading = { directory, sink };
      const hasSpace = await fetchSpaceObject(reading, spaceId);
      const proposals = await fetchProposals(reading, spaceId);
      const hasVotes = await fetchVotes(reading, spaceId, proposals ?? new Map());
      const hasLists = await fetchDelegateLists(reading, spaceId);
      // Logs of the token's own file tell all that a record's would; both together would tell it twice.
      const hasChain =
        governor !== undefined &&
        ((await fetchLogs(reading, governor)) || (await fetchChain(reading, dao, governor)));
      if (hasSpace || proposals !== undefined || hasVotes || hasLists || hasChain) return;
      throw new PipelineError("SOURCE_FAILED", `the archive holds nothing for ${spaceId}`, {
        hint: "Its files are spaces/<space_id>.json, proposals/<space_id>.ndjson and so on (fixtures/README.md).",
      });
    },
  };
}
