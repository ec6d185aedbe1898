import type { OpenVotes, VoteCollection } from "../../facts/collect-votes.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { VoterTable } from "../../facts/voters.ts";
import type { ScanLine } from "./read-lines.ts";
import { expectedOf, viewOf } from "./scan-json.ts";
import { createScannedVote, NO_OPTION, scanVote } from "./scan-vote.ts";

/** Remembered choice texts: enough for most ballots, but bounded. */
const CHOICES_MAX = 4096;

/** Adds votes directly from a file's bytes. Leaves other lines to the slow path, which produces the same facts. */
export function scanVotes(
  collection: VoteCollection,
  voters: VoterTable,
  proposals: ReadonlyMap<string, Proposal>,
): ScanLine {
  const vote = createScannedVote();
  const choiceNumbers = new Map<string, number>();
  let ballot: OpenVotes | undefined;
  let seen: Buffer = Buffer.alloc(0);
  let view = viewOf(seen);

  const proposalOfVote = (bytes: Buffer): OpenVotes | undefined => {
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

  return (bytes, from, to, line) => {
    if (bytes !== seen) {
      seen = bytes;
      view = viewOf(bytes);
    }
    const next = scanVote(bytes, from, to, vote, view);
    if (next === -1) return -1;
    const proposalId = proposalOfVote(bytes);
    const choice = proposalId && choiceOfVote(bytes, proposalId);
    if (proposalId === undefined || choice === undefined) return -1;
    const voter = voters.intern(vote.voterWords, 0, vote.isVoterLong);
    collection.put(proposalId, voter, vote.timeS, vote.power, choice, vote.flags, line);
    if (vote.isHexId) collection.setLastId(vote.idWords);
    else if (vote.idTo !== 0) collection.setLastIdText(bytes.toString("latin1", vote.idFrom, vote.idTo));
    return next;
  };
}

/** Parses a list or an object; `undefined` if it is not JSON. */
function parsedOrLeft(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
