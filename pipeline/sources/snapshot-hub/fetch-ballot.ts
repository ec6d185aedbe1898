import type { Ballot } from "../../facts/ballot.ts";
import { createBallotBuilder } from "../../facts/ballot-builder.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HubVote, proposalIdOf } from "../upstream/hub-vote.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { voteOfHub } from "../upstream/vote-of-hub.ts";
import type { HubReading } from "./hub-reading.ts";
import { paddedAddress } from "./hub-voter.ts";
import { readVotePages } from "./read-vote-pages.ts";
import type { RowTally } from "./row-tally.ts";

/** The votes on one proposal, or that the hub no longer has the proposal. */
export type FetchedBallot =
  | { readonly kind: "ballot"; readonly ballot: Ballot; readonly isFinal: boolean }
  | { readonly kind: "deleted" };

/**
 * Takes all votes on one proposal and reconciles their count with the proposal's; a difference is a rejection and
 * makes the ballot one that is asked for again.
 */
export async function fetchBallot(
  reading: HubReading,
  proposal: Proposal,
  tally: RowTally,
): Promise<FetchedBallot> {
  const { sink, spaceId, record } = reading;
  const file = `votes/${proposal.proposalId}`;
  const builder = createBallotBuilder(proposal);
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
  for (const { line: at, code, message } of setAside) sink.reject({ file, line: at, code, message });
  const isFinal = reconcile(reading, proposal, ballot.count + refused);
  return { kind: "ballot", ballot, isFinal };
}

function isOfDeletedProposal(row: unknown): boolean {
  return typeof row === "object" && row !== null && "proposal" in row && row.proposal === null;
}

/** Whether as many voters came as the hub counts; one row a voter, so that the two can be compared. */
function reconcile({ sink }: HubReading, { proposalId, votesCount }: Proposal, came: number): boolean {
  if (votesCount === undefined || votesCount === came) return true;
  sink.reject({
    file: `votes/${proposalId}`,
    line: undefined,
    code: "VOTES_INCOMPLETE",
    message: `${came} voters came, and the hub counts ${votesCount}`,
  });
  return false;
}
