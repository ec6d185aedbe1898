import { randomInt } from "node:crypto";
import { createVoteCollection, type OpenVotes } from "../../facts/collect-votes.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { createVoterTable } from "../../facts/voters.ts";
import { HubVote, proposalIdOf, voteOfHub } from "../upstream/hub-objects.ts";
import { parseShape, rowFailure } from "../upstream/row-error.ts";
import { expectedOf, viewOf } from "./scan-json.ts";
import { createScannedVote, NO_OPTION, scanVote } from "./scan-vote.ts";

/** Remembered choice texts: enough for most ballots, but bounded. */
const CHOICES_MAX = 4096;

/** Collects the votes of an archive on these proposals, in any order. */
export function collectVotes(proposals: ReadonlyMap<string, Proposal>) {
  const collection = createVoteCollection();
  const voters = createVoterTable(randomInt(2 ** 32));
  const vote = createScannedVote();
  /** The ballot of the last scanned vote, and the numbers of choices that were given on it as lists or objects. */
  let ballot: OpenVotes | undefined;
  const choiceNumbers = new Map<string, number>();

  const ballotOfVote = (bytes: Buffer): OpenVotes | undefined => {
    if (vote.isOnKnown) return ballot;
    const proposal = proposals.get(bytes.toString("latin1", vote.proposalFrom, vote.proposalTo));
    if (proposal === undefined) return undefined;
    ballot = collection.ballotOf(proposal);
    vote.knownProposal = expectedOf(Buffer.from(bytes.subarray(vote.proposalFrom - 1, vote.proposalTo + 1)));
    choiceNumbers.clear();
    return ballot;
  };
  const choiceOfVote = (bytes: Buffer, { choices }: OpenVotes): number | undefined => {
    if (vote.option !== NO_OPTION) return choices.numberOf(vote.option);
    const text = bytes.toString("latin1", vote.choiceFrom, vote.choiceTo);
    const known = choiceNumbers.get(text);
    if (known !== undefined) return known;
    const parsed = parsedOrLeft(text);
    if (parsed === undefined) return undefined;
    const number = choices.numberOf(parsed);
    if (choiceNumbers.size === CHOICES_MAX) choiceNumbers.clear();
    choiceNumbers.set(text, number);
    return number;
  };
  return {
    /** Adds one parsed vote. It can read every vote; throws `RowFailure`. */
    take(value: unknown, line: number): void {
      const hub = parseShape(HubVote, value);
      const proposal = proposals.get(proposalIdOf(hub) ?? "");
      if (proposal === undefined) {
        throw rowFailure("PROPOSAL_UNKNOWN", "its proposal is not in the archive or was rejected");
      }
      const cast = voteOfHub(hub, line, voters.internText);
      collection.add(collection.ballotOf(proposal), cast);
    },
    /** The `ScanLine` of a file of votes: adds a vote directly from its bytes, or leaves it to `take`, for the same facts. */
    scan(bytes: Buffer, from: number, to: number, line: number): number {
      const next = scanVote(bytes, from, to, vote, viewOf(bytes));
      if (next === -1) return -1;
      const known = ballotOfVote(bytes);
      const choice = known && choiceOfVote(bytes, known);
      if (known === undefined || choice === undefined) return -1;
      const voter = voters.intern(vote.voterWords, 0, vote.isVoterLong);
      collection.put(known, voter, vote.timeS, vote.power, choice, vote.flags, line);
      if (vote.isHexId) collection.setLastId(vote.idWords);
      else if (vote.idTo !== 0) collection.setLastIdText(bytes.toString("latin1", vote.idFrom, vote.idTo));
      return next;
    },
    /** The voters so far; a vote's voter is an index of this list. */
    voters: voters.list,
    finished: collection.finished,
  };
}

function parsedOrLeft(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
