import { type ProposalVotes, VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import type { MemorySink } from "../memory-sink.ts";

/** What was fetched of a governor, with its proposals' ids by the names a test gives them. */
export interface Governed {
  readonly sink: MemorySink;
  readonly ids: Readonly<Record<string, string>>;
}

/** One proposal by its name. */
export const proposalOf = ({ sink, ids }: Governed, name: string) => {
  const found = sink.proposals.find(({ proposalId }) => proposalId === ids[name]);
  if (found === undefined) throw new Error(`no proposal ${name}`);
  return found;
};

/** What one voter did, in words. */
export const voteOf = ({ sink, ids }: Governed, name: string, voter: string) => {
  const ballot = sink.ballots.find(({ proposalId }) => proposalId === ids[name]) as ProposalVotes;
  const index = ballot.voterIds.indexOf(sink.voters.get(voter) ?? -1);
  const flags = ballot.flags[index] ?? 0;
  return {
    power: ballot.powers[index],
    choice: ballot.choices[ballot.choiceIndexes[index] ?? -1],
    timeS: ballot.timesS[index],
    isReasonGiven: (flags & VOTE_FLAGS.reasonGiven) !== 0,
    isReasonKnown: (flags & VOTE_FLAGS.reasonKnown) !== 0,
    isOutside: (flags & VOTE_FLAGS.outsideWindow) !== 0,
  };
};
