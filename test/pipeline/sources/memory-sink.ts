import type { DelegateList, DelegationEvent, Space } from "../../../pipeline/facts/dao-facts.ts";
import type { Rejection, SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import type { ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import { addressAt } from "../facts/sample-votes.ts";

/** A sink that remembers what it got. Voters keep their numbers over several DAOs, as in the warehouse. */
export interface MemorySink extends SpaceSink {
  readonly voters: Map<string, number>;
  readonly spaces: Space[];
  readonly proposals: Proposal[];
  readonly ballots: ProposalVotes[];
  readonly lists: DelegateList[];
  readonly events: DelegationEvent[];
  readonly rejections: Rejection[];
}

/** Starts empty; `voters` may be shared between sinks. */
export function memorySink(voters = new Map<string, number>()): MemorySink {
  const sink = {
    voters,
    spaces: [] as Space[],
    proposals: [] as Proposal[],
    ballots: [] as ProposalVotes[],
    lists: [] as DelegateList[],
    events: [] as DelegationEvent[],
    rejections: [] as Rejection[],
  };
  const internVoter = (address: string): number => {
    const number = voters.get(address) ?? voters.size + 1;
    voters.set(address, number);
    return number;
  };
  return {
    ...sink,
    internVoter,
    numberVoters: (list) =>
      Uint32Array.from({ length: list.count }, (_, index) => internVoter(addressAt(list, index))),
    put(record) {
      switch (record.kind) {
        case "space":
          return void sink.spaces.push(record.space);
        case "proposal":
          return void sink.proposals.push(record.proposal);
        case "votes":
          return void sink.ballots.push(record.votes);
        case "delegate-list":
          return void sink.lists.push(record.list);
        case "delegation-events":
          return void sink.events.push(...record.events);
        case "rejection": {
          const { kind: _kind, ...rejection } = record;
          sink.rejections.push(rejection);
        }
      }
    },
  };
}
