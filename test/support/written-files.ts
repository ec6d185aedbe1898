import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HubProposal, HubVote } from "../../fixtures/world/hub-objects.ts";
import { type WrittenWorld, writeWorld } from "../../fixtures/world.ts";
import { filesUnder } from "./published-files.ts";

/** Last day and last second of the world in the tests. */
export const END_DAY = "2026-10-31";
export const END_S = Date.parse(`${END_DAY}T23:59:59.999Z`) / 1000;

/** A delegate list in an archive. */
export interface ArchivedList {
  readonly complete: boolean;
  readonly as_of: string;
  readonly delegates: readonly { readonly address: string; readonly votes: string; readonly ens?: string }[];
}

/** A written world, read back from its files. */
export interface WrittenFiles {
  readonly world: WrittenWorld;
  readonly files: ReadonlyMap<string, string>;
  rowsOf<Row>(path: string): readonly Row[];
  proposalsOf(spaceId: string): readonly HubProposal[];
  votesOf(spaceId: string): readonly HubVote[];
  listsOf(spaceId: string): readonly ArchivedList[];
}

/** Writes a world, reads all of it and removes the files. */
export function writtenFiles(input: Partial<Parameters<typeof writeWorld>[0]> = {}): WrittenFiles {
  const directory = mkdtempSync(join(tmpdir(), "govdata-world-"));
  try {
    const world = writeWorld({ seed: "harbour", endDay: END_DAY, ...input, directory });
    const files = new Map([...filesUnder(directory)].map(([path, bytes]) => [path, bytes.toString("utf8")]));
    const rowsOf = <Row>(path: string) => {
      const lines = (files.get(path) ?? "").split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line) as Row);
    };
    return {
      world,
      files,
      rowsOf,
      proposalsOf: (spaceId) => rowsOf<HubProposal>(`proposals/${spaceId}.ndjson`),
      votesOf: (spaceId) => rowsOf<HubVote>(`votes/${spaceId}.ndjson`),
      listsOf: (spaceId) =>
        [...files]
          .filter(([path]) => path.startsWith(`delegates/${spaceId}/`))
          .map(([, text]) => JSON.parse(text) as ArchivedList),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
