import { join } from "node:path";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { runGovdata } from "./run-in-process.ts";

/** A version and its partitioned export. */
export interface PartitionedExport {
  /** The folder of the export. */
  readonly directory: string;
  /** The folder of the published version. */
  readonly version: string;
}

const NOW_MS = Date.parse("2026-11-21T06:00:00.000Z");

/** Fetches an archive into a home below `root`, publishes it for each moment, and exports each version with ballots. */
export async function partitionedExports(input: {
  readonly archive: string;
  readonly root: string;
  readonly moments: readonly string[];
  /** May change the data in the home, including votes, before anything is published. */
  readonly onFetched?: (home: string) => void;
}): Promise<readonly PartitionedExport[]> {
  const { archive, root, moments } = input;
  const snapshots = join(root, "published");
  const registry = join(archive, "registry.yaml");
  const places = ["--home", join(root, "home"), "--snapshots", snapshots, "--registry", registry];
  const run = async (index: number, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runGovdata([...places, ...args], { nowMs: () => NOW_MS + index * 60_000 });
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stderr}`);
  };
  await run(0, ["fetch", "--source", "archive", "--from", archive]);
  input.onFetched?.(join(root, "home"));
  const made: PartitionedExport[] = [];
  for (const [index, moment] of moments.entries()) {
    await run(index + 1, ["publish", "--as-of", moment, "--allow", "votes"]);
    const directory = join(root, `export-${index}`);
    await run(index + 1, ["export", "--partitioned", "-o", directory]);
    made.push({ directory, version: join(snapshots, readPointer(snapshots).version) });
  }
  return made;
}
