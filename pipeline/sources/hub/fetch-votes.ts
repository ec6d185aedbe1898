import { createVotesBuilder } from "../../facts/collect-votes.ts";
import { DAY_MS } from "../../facts/days.ts";
import type { HeldProposal } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { ProposalVotes } from "../../facts/proposal-votes.ts";
import { HubVote, proposalIdOf, voteOfHub } from "../upstream/hub-vote.ts";
import { parseShape, RowError } from "../upstream/row-error.ts";
import { type HubReading, paddedAddress, RETRY_DAYS, type RowTally } from "./hub-reading.ts";
import { readVotePages } from "./vote-pages.ts";

/** The votes on one proposal, or that the hub no longer has the proposal. */
export type FetchedVotes =
  | { readonly kind: "ballot"; readonly ballot: ProposalVotes; readonly isFinal: boolean }
  | { readonly kind: "deleted" };

/**
 * Takes all votes on one proposal and reconciles their count with the proposal's; a difference is a rejection and
 * makes the ballot one that is asked for again.
 */
export async function fetchProposalVotes(
  reading: HubReading,
  proposal: Proposal,
  tally: RowTally,
): Promise<FetchedVotes> {
  const { sink, spaceId, record } = reading;
  const file = `votes/${proposal.proposalId}`;
  const builder = createVotesBuilder(proposal);
  let line = 0;
  let refused = 0;

  const take = (row: unknown) => {
    const hub = parseShape(HubVote, row);
    if (proposalIdOf(hub) !== proposal.proposalId) {
      throw new RowError("PROPOSAL_UNKNOWN", "it is a vote on another proposal than was asked for");
    }
    builder.add(voteOfHub({ ...hub, voter: paddedAddress(hub.voter) }, line, sink.internVoter));
  };
  for await (const rows of readVotePages(reading, proposal)) {
    for (const row of rows) {
      line += 1;
      if (isOfDeletedProposal(row)) return { kind: "deleted" };
      if (!tally.row({ file, line }, () => take(row))) refused += 1;
      record({ kind: "vote", spaceId, object: row });
    }
  }
  const { ballot, setAside } = builder.finish();
  for (const { line: at, code, message } of setAside)
    sink.put({ kind: "rejection", file, line: at, code, message });
  const isFinal = reconcile(reading, proposal, ballot.count + refused);
  return { kind: "ballot", ballot, isFinal };
}

function isOfDeletedProposal(row: unknown): boolean {
  return typeof row === "object" && row !== null && "proposal" in row && row.proposal === null;
}

/** Whether as many voters came as the hub counts; one row a voter, so that the two can be compared. */
function reconcile({ sink }: HubReading, { proposalId, votesCount }: Proposal, came: number): boolean {
  if (votesCount === undefined || votesCount === came) return true;
  sink.put({
    kind: "rejection",
    file: `votes/${proposalId}`,
    line: undefined,
    code: "VOTES_INCOMPLETE",
    message: `${came} voters came, and the hub counts ${votesCount}`,
  });
  return false;
}

/** What to do about the votes on one proposal. */
export type VotesPlan = "fetch" | "keep" | "none";

/**
 * Votes are taken once, when they can change no more: the vote has ended and its scores are final. Power may stay
 * open until then. A held ballot is asked for again where it lacks votes, and where the hub now says something else
 * of what its votes are read by.
 */
export function planVotes(
  proposal: Proposal,
  held: HeldProposal | undefined,
  { nowMs, isFull }: { readonly nowMs: number; readonly isFull: boolean },
): VotesPlan {
  const holding = held?.ballot === undefined ? "none" : "keep";
  const endMs = proposal.end?.atMs ?? Infinity;
  const isOver = proposal.state === "closed" && proposal.scoresState === "final" && endMs <= nowMs;
  if (!isOver || proposal.isDeleted) return holding;
  // A count that falls to nothing is a fault more often than news: what is held stays, and the run's report tells.
  if (proposal.votesCount === 0) return isFull ? "none" : holding;
  if (isFull || held?.ballot === undefined || isChanged(proposal, held.proposal)) return "fetch";
  return held.ballot.isFinal || nowMs - endMs > RETRY_DAYS * DAY_MS ? "keep" : "fetch";
}

function isChanged(now: Proposal, before: Proposal): boolean {
  return (
    now.start?.atMs !== before.start?.atMs ||
    now.end?.atMs !== before.end?.atMs ||
    now.votingType !== before.votingType ||
    now.choicesCount !== before.choicesCount ||
    now.scoresState !== before.scoresState ||
    now.scoresTotal !== before.scoresTotal ||
    now.votesCount !== before.votesCount
  );
}
