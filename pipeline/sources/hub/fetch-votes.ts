import { DAY_MS } from "../../../snapshots/base/days.ts";
import { createVotesBuilder } from "../../facts/collect-votes.ts";
import type { HeldProposal } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { HubVote, proposalIdOf, voteOfHub } from "../upstream/hub-objects.ts";
import { createRowTally, parseShape, type RowTally, reject, rowFailure } from "../upstream/row-error.ts";
import { type HubReading, RETRY_DAYS } from "./ask-hub.ts";
import { readVotePages, type VotePage } from "./vote-pages.ts";

type VotesPlan = "fetch" | "keep" | "none";

/**
 * Decides whether to fetch a proposal's votes. They are fetched once, when they can no longer change: the
 * vote has ended and its scores are final. A held ballot is fetched again if it lacks votes, or if the hub
 * changed something that affects how its votes are read.
 */
export function planVotes(
  proposal: Proposal,
  held: HeldProposal | undefined,
  { nowMs, isFull }: { readonly nowMs: number; readonly isFull: boolean },
): VotesPlan {
  const holding = held?.ballot === undefined ? "none" : "keep";
  const endMs = proposal.end?.atMs ?? Infinity;
  const isOver = proposal.state === "closed" && proposal.scoresState === "final" && endMs <= nowMs;
  if (!isOver) return holding;
  // A count that drops to 0 is more often a fault than a fact: keep what is held; the run's report mentions
  // it.
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
    now.votesCount !== before.votesCount ||
    // A ballot stored by a version that did not read revisions is not fetched again for that.
    (before.revision !== undefined && now.revision !== before.revision)
  );
}

/**
 * Fetches all votes on one proposal, compares their number with the proposal's, and puts the proposal and its ballot. A
 * difference, or a power that is not final, is reported as a rejection and has the ballot fetched again later. An answer that
 * lacks votes and has fewer than are held is no ballot: a replica of the hub's database may lag behind. Returns the tally of
 * the rows.
 */
export async function fetchProposalVotes(
  reading: HubReading,
  proposal: Proposal,
  { first, held }: { readonly first: VotePage | undefined; readonly held: HeldProposal | undefined },
): Promise<RowTally> {
  const { sink, spaceId, record } = reading;
  const { proposalId } = proposal;
  const file = `votes/${proposalId}`;
  const tally = createRowTally(sink);
  const builder = createVotesBuilder(proposal);
  let line = 0;
  let withheld = 0;
  let isCut = false;

  const take = (row: unknown) => {
    const hub = parseShape(HubVote, row);
    if (proposalIdOf(hub) !== proposalId) {
      throw rowFailure("PROPOSAL_UNKNOWN", "it is a vote on another proposal than requested");
    }
    builder.add(voteOfHub(hub, line, sink.internVoter));
  };
  for await (const page of readVotePages(reading, proposal, first)) {
    withheld += page.withheld;
    isCut ||= page.isCut;
    for (const row of page.rows) {
      line += 1;
      tally.row({ file, line }, () => take(row));
      record({ kind: "vote", spaceId, object: row });
    }
  }
  const { ballot, setAside } = builder.finish();
  for (const { line: lineNumber, code, message } of setAside)
    reject(sink, { file, line: lineNumber }, code, message);
  // Votes on other proposals are not included.
  const { refused } = tally;
  const missing = whatIsMissing(proposal, ballot, { refused, withheld, isCut });
  const heldVotes = held?.ballot?.votes ?? 0;
  const isShort = ballot.count + refused < (proposal.votesCount ?? heldVotes);
  const isKept = isShort && ballot.count < heldVotes;
  if (isKept) missing.push(`the ${heldVotes} votes that are held are kept`);
  if (missing.length > 0) reject(sink, { file }, "VOTES_INCOMPLETE", missing.join("; "));
  if (isKept) {
    // With the counts of the held ballot: they agree, and as the hub's differ, it is asked for again.
    const { votesCount, scoresTotal, revision } = held?.proposal ?? proposal;
    sink.put({ kind: "proposal", proposal: { ...proposal, votesCount, scoresTotal, revision } });
    sink.memory?.keepVotes(proposalId);
    return tally;
  }
  sink.put({ kind: "proposal", proposal });
  if (ballot.count > 0) sink.put({ kind: "votes", votes: ballot, isFinal: missing.length === 0 });
  return tally;
}

/** Why a ballot must be fetched again; empty if it is complete. */
function whatIsMissing(
  { votesCount }: Proposal,
  ballot: ProposalVotes,
  unseen: { readonly refused: number; readonly withheld: number; readonly isCut: boolean },
): string[] {
  const reasons: string[] = [];
  // Each voter has one row, so the counts are comparable.
  const came = ballot.count + unseen.refused;
  if (votesCount !== undefined && votesCount !== came) {
    reasons.push(`${came} voters were received, but the hub counts ${votesCount}`);
  }
  if (unseen.withheld > 0) {
    reasons.push(`the hub cannot return ${unseen.withheld} of its votes: a required field is null`);
  }
  // The listing alone cannot tell whether a crowded second ended where nothing more can be read.
  if (unseen.isCut && votesCount !== came + unseen.withheld) {
    reasons.push("more votes were cast in one second than the hub lets anybody read");
  }
  const open = ballot.flags.reduce((sum, flags) => sum + ((flags & VOTE_FLAGS.final) === 0 ? 1 : 0), 0);
  if (open > 0) reasons.push(`the power of ${open} of ${ballot.count} votes was not final`);
  return reasons;
}
