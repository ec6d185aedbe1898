import type { BallotBox, OpenBallot } from "../../facts/ballot-box.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { ScanLine } from "./read-lines.ts";
import { scanVote } from "./scan-vote.ts";
import { createScannedVote, NO_OPTION } from "./scanned-vote.ts";
import type { VotersOfFile } from "./voters-of-file.ts";

/** Texts of choices that are remembered at once: those of most ballots, and never a file of them. */
const CHOICES_MAX = 4096;

/**
 * Takes votes straight from the bytes of a file into the box, and leaves the lines that must be read the plain way: the
 * same facts come out of both.
 */
export function scanVotes(
  box: BallotBox,
  voters: VotersOfFile,
  proposals: ReadonlyMap<string, Proposal>,
): ScanLine {
  const vote = createScannedVote();
  const choiceNumbers = new Map<string, number>();
  let ballot: OpenBallot | undefined;
  let seen: Buffer = Buffer.alloc(0);
  let view: DataView = new DataView(new ArrayBuffer(0));

  const ballotOfVote = (bytes: Buffer): OpenBallot | undefined => {
    if (vote.isOnKnown) return ballot;
    const proposal = proposals.get(bytes.toString("latin1", vote.proposalFrom, vote.proposalTo));
    if (proposal === undefined) return undefined;
    ballot = box.ballotOf(proposal);
    const quoted = Uint8Array.from(bytes.subarray(vote.proposalFrom - 1, vote.proposalTo + 1));
    vote.knownProposal = new DataView(quoted.buffer);
    choiceNumbers.clear();
    return ballot;
  };
  const choiceOfVote = (bytes: Buffer, { choices }: OpenBallot): number | undefined => {
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
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    const next = scanVote(bytes, view, from, to, vote);
    if (next === -1) return -1;
    const on = ballotOfVote(bytes);
    const choice = on && choiceOfVote(bytes, on);
    if (on === undefined || choice === undefined) return -1;
    const voter = voters.book.placeOf(vote.voterWords, 0, vote.isVoterLong);
    box.put(on, voter, vote.timeS, vote.power, choice, vote.flags, line);
    if (vote.isHexId) box.nameLast(vote.idWords);
    else if (vote.idTo !== 0) box.nameLastAsText(bytes.toString("latin1", vote.idFrom, vote.idTo));
    return next;
  };
}

/** A list or an object; `undefined` for what is not JSON. */
function parsedOrLeft(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
