import { invariant } from "../../base/invariant.ts";
import type { DelegationMemory, FetchMemory, IndexedBlock, SpaceSink } from "../../facts/space-sink.ts";

/**
 * The memory of a fetch that begins anew and is never gone on with: nothing is held before, and what is kept goes to
 * the sink.
 */
export function createFreshMemory(sink: SpaceSink): FetchMemory {
  const delegations = new Map<string, DelegationMemory>();
  return {
    heldProposals: () => [],
    keepProposal: () => invariant(false, "nothing is held that could be kept"),
    keepBallot: () => invariant(false, "nothing is held that could be kept"),
    note: () => undefined,
    putNote: () => undefined,
    checkpoint({ voters }) {
      // Voters get the numbers that they got when the same pages came from a node.
      for (const voter of voters) sink.internVoter(voter);
    },
    resumedPage: () => undefined,
    forgetPages: () => undefined,
    delegationOf(token) {
      const delegation = delegations.get(token) ?? createFreshDelegation(sink, token);
      delegations.set(token, delegation);
      return delegation;
    },
  };
}

function createFreshDelegation(sink: SpaceSink, token: string): DelegationMemory {
  // Side by side, and each address once: of a large token there are millions.
  const blocks: number[] = [];
  const delegates: string[] = [];
  const powers: bigint[] = [];
  const addresses = new Map<string, string>();
  const through: IndexedBlock[] = [];
  return {
    heldThrough: () => [...through].reverse(),
    keep(events, block) {
      for (const event of events) {
        if (event.kind !== "votes-changed") continue;
        const delegate = addresses.get(event.delegate) ?? event.delegate;
        addresses.set(delegate, delegate);
        blocks.push(event.blockNumber);
        delegates.push(delegate);
        powers.push(event.after);
      }
      through.push(block);
      return sink.putDelegationEvents(token, events);
    },
    rewind: () => invariant(through.length === 0, "what went to the sink cannot be taken back"),
    powersAt(blockNumber) {
      const found = new Map<string, bigint>();
      for (const [place, delegate] of delegates.entries()) {
        const power = powers[place];
        if (power !== undefined && (blocks[place] ?? Infinity) <= blockNumber) found.set(delegate, power);
      }
      return found;
    },
  };
}
