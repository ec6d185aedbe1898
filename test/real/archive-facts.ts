import { join } from "node:path";
import type { DaoFacts } from "../../pipeline/facts/dao-facts.ts";
import type { Registry, TrackedDao } from "../../pipeline/facts/tracked.ts";
import { loadRegistry } from "../../pipeline/registry/registry.ts";
import { createArchiveSource } from "../../pipeline/sources/archive/archive-source.ts";
import { memorySink } from "../pipeline/sources/memory-sink.ts";

/** The DAOs of an unpacked archive, read without a warehouse. */
export interface ArchiveReader {
  readonly registry: Registry;
  /** The number of every voter read so far, by lower-case address; one number over all spaces. */
  readonly voters: ReadonlyMap<string, number>;
  factsOf(spaceId: string): Promise<DaoFacts>;
  entityIdOfWallet(wallet: string): string | undefined;
}

/** By (end, id), unknown ends first, as the warehouse gives them. */
function byEnd(a: DaoFacts["proposals"][number], b: DaoFacts["proposals"][number]): number {
  const [aMs, bMs] = [a.end?.atMs ?? -Infinity, b.end?.atMs ?? -Infinity];
  if (aMs !== bMs) return aMs < bMs ? -1 : 1;
  return a.proposalId < b.proposalId ? -1 : 1;
}

/** Reads the DAOs of an archive one at a time, those of its registry with what that says of them. */
export function readArchive(directory: string): ArchiveReader {
  const registry = loadRegistry(join(directory, "registry.yaml"));
  const source = createArchiveSource({ directory });
  const voters = new Map<string, number>();
  const entityOf = new Map(
    registry.entities.flatMap(({ entityId, wallets }) =>
      wallets.map((wallet) => [wallet, entityId] as const),
    ),
  );
  const factsOf = async (spaceId: string): Promise<DaoFacts> => {
    const dao: TrackedDao = registry.daos.find((tracked) => tracked.spaceId === spaceId) ?? {
      spaceId,
      name: spaceId,
      category: "social",
      governor: undefined,
    };
    const sink = memorySink(voters);
    await source.fetchSpace(dao, sink);
    return {
      dao,
      space: sink.spaces[0],
      proposals: [...sink.proposals].sort(byEnd),
      ballots: new Map(sink.ballots.map((ballot) => [ballot.proposalId, ballot])),
      entityIdOfVoter: new Map(
        [...entityOf].flatMap(([wallet, entityId]) => {
          const voter = voters.get(wallet);
          return voter === undefined ? [] : [[voter, entityId] as const];
        }),
      ),
      delegateLists: [...sink.lists].sort((a, b) => (a.date < b.date ? -1 : 1)),
      confirmations: [],
      delegationEvents: [...sink.events].sort(
        (a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex,
      ),
      names: new Map(),
      lastCompleteFetchMs: 0,
      isArchive: true,
    };
  };
  return { registry, voters, factsOf, entityIdOfWallet: (wallet) => entityOf.get(wallet) };
}
