import { type BallotBuilder, createBallotBuilder } from "../../facts/ballot-builder.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HubVote, proposalIdOf } from "../upstream/hub-vote.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { voteOfHub } from "../upstream/vote-of-hub.ts";
import { type ArchiveReading, readRows } from "./read-rows.ts";

/**
 * Takes `votes/<space_id>.ndjson`, in whatever order its votes stand: every proposal keeps the columns of its ballot
 * until the last line is read. A proposal without a vote gets no ballot. Answers whether there is such a file.
 */
export async function fetchVotes(
  reading: ArchiveReading,
  spaceId: string,
  proposals: ReadonlyMap<string, Proposal>,
): Promise<boolean> {
  const { sink } = reading;
  const file = `votes/${spaceId}.ndjson`;
  const builders = new Map<string, BallotBuilder>();

  const wasThere = await readRows(reading, file, (value, line) => {
    const hub = parseShape(HubVote, value);
    const proposal = proposals.get(proposalIdOf(hub) ?? "");
    if (proposal === undefined) {
      throw new RowError("PROPOSAL_UNKNOWN", "its proposal is not in the archive, or was not taken");
    }
    const vote = voteOfHub(hub, line, sink.internVoter);
    const builder = builders.get(proposal.proposalId) ?? createBallotBuilder(proposal);
    builders.set(proposal.proposalId, builder);
    builder.add(vote);
  });
  for (const [proposalId, builder] of builders) {
    const { ballot, setAside } = builder.finish();
    builders.delete(proposalId);
    sink.putBallot(ballot);
    for (const { line, code, message } of setAside) sink.reject({ file, line, code, message });
  }
  return wasThere;
}
