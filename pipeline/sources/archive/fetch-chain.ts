import type { DelegationEvent, GovernorToken } from "../../facts/delegation.ts";
import { invariant } from "../../facts/errors.ts";
import type { FetchMemory, IndexedBlock, SpaceSink } from "../../facts/governance-source.ts";
import type { TrackedDao } from "../../facts/tracked.ts";
import { createGovernorSource } from "../governor/governor-source.ts";
import { chainRecordFile, openChainRecord } from "./chain-record.ts";
import type { ArchiveReading } from "./read-rows.ts";

/** Replays `chains/<chain_id>/<space_id>.ndjson` through the code that queries a node. Returns whether it exists. */
export async function fetchChain(
  { directory, sink }: ArchiveReading,
  dao: TrackedDao,
  { chainId }: GovernorToken,
): Promise<boolean> {
  const record = await openChainRecord(directory, chainRecordFile(chainId, dao.spaceId));
  if (record === undefined) return false;
  try {
    const source = createGovernorSource({ rpcOf: () => record.rpc });
    await source.fetchSpace(dao, createFreshSink(sink));
    return true;
  } finally {
    record.close();
  }
}

/** A sink for a fetch that starts from nothing and never resumes: nothing is held, and events to keep are put too. */
function createFreshSink(sink: SpaceSink): SpaceSink & { readonly memory: FetchMemory } {
  const delegations = new Map<string, ReturnType<typeof createFreshDelegation>>();
  const delegationOf = (token: string) => {
    const delegation = delegations.get(token) ?? createFreshDelegation();
    delegations.set(token, delegation);
    return delegation;
  };
  const memory: FetchMemory = {
    heldProposals: () => [],
    keepProposal: () => invariant(false, "a fresh fetch holds no proposals"),
    keepVotes: () => invariant(false, "a fresh fetch holds no votes"),
    note: () => undefined,
    putNote: () => undefined,
    checkpoint({ voters }) {
      // Number the voters in the same order as when the same pages came from a node.
      for (const voter of voters) sink.internVoter(voter);
    },
    resumedPage: () => undefined,
    forgetPages: () => undefined,
    delegationOf,
  };
  return {
    ...sink,
    memory,
    put(record) {
      if (record.kind !== "delegation-events" || record.through === undefined) return sink.put(record);
      const { through, ...events } = record;
      delegationOf(events.token).add(events.events, through);
      sink.put(events);
    },
  };
}

function createFreshDelegation() {
  // Parallel arrays, and each address stored once: a large token has millions of events.
  const blocks: number[] = [];
  const delegates: string[] = [];
  const powers: bigint[] = [];
  const addresses = new Map<string, string>();
  const blocksThrough: IndexedBlock[] = [];
  return {
    heldThrough: () => blocksThrough.toReversed(),
    add(events: readonly DelegationEvent[], through: IndexedBlock): void {
      for (const event of events) {
        if (event.kind !== "votes-changed") continue;
        const delegate = addresses.get(event.delegate) ?? event.delegate;
        addresses.set(delegate, delegate);
        blocks.push(event.blockNumber);
        delegates.push(delegate);
        powers.push(event.after);
      }
      blocksThrough.push(through);
    },
    rewind: () => invariant(blocksThrough.length === 0, "events already put into the sink cannot be rewound"),
    powersAt(blockNumber: number): ReadonlyMap<string, bigint> {
      const delegatePowers = new Map<string, bigint>();
      for (const [index, delegate] of delegates.entries()) {
        const power = powers[index];
        if (power !== undefined && (blocks[index] ?? Infinity) <= blockNumber)
          delegatePowers.set(delegate, power);
      }
      return delegatePowers;
    },
  };
}
