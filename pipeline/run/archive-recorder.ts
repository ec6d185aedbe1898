import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HubObject } from "../sources/snapshot-hub/hub-reading.ts";

/**
 * Writes what a hub said as an archive that `fetch --source archive` reads. The files of a DAO begin anew with the
 * first object of it; names come from the registry's space ids, never from what the hub said.
 */
export function createArchiveRecorder(directory: string): (object: HubObject) => void {
  const begun = new Set<string>();
  for (const folder of ["spaces", "proposals", "votes"])
    mkdirSync(join(directory, folder), { recursive: true });
  return ({ kind, spaceId, object }) => {
    const proposals = join(directory, "proposals", `${spaceId}.ndjson`);
    const votes = join(directory, "votes", `${spaceId}.ndjson`);
    if (!begun.has(spaceId)) {
      begun.add(spaceId);
      writeFileSync(proposals, "");
      writeFileSync(votes, "");
    }
    if (kind === "space") {
      writeFileSync(join(directory, "spaces", `${spaceId}.json`), `${JSON.stringify(object)}\n`);
    } else appendFileSync(kind === "vote" ? votes : proposals, `${JSON.stringify(object)}\n`);
  };
}
