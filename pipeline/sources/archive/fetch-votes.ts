import { createBallotBox } from "../../facts/ballot-box.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HubVote, proposalIdOf } from "../upstream/hub-vote.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { voteOfHub } from "../upstream/vote-of-hub.ts";
import { type ArchiveReading, readRows } from "./read-rows.ts";
import { createVotersOfFile } from "./voters-of-file.ts";

/**
 * Takes `votes/<space_id>.ndjson`, in whatever order its votes stand: they are kept as columns until the last line is
 * read, their voters numbered all at once. A proposal without a vote gets no ballot. Answers whether there is such a file.
 */
export async function fetchVotes(
  reading: ArchiveReading,
  spaceId: string,
  proposals: ReadonlyMap<string, Proposal>,
): Promise<boolean> {
  const { sink } = reading;
  const file = `votes/${spaceId}.ndjson`;
  const box = createBallotBox();
  const voters = createVotersOfFile();

  const wasThere = await readRows(reading, file, (value, line) => {
    const hub = parseShape(HubVote, value);
    const proposal = proposals.get(proposalIdOf(hub) ?? "");
    if (proposal === undefined) {
      throw new RowError("PROPOSAL_UNKNOWN", "its proposal is not in the archive, or was not taken");
    }
    const vote = voteOfHub(hub, line, voters.placeOfText);
    box.add(box.ballotOf(proposal), vote);
  });
  const numbers = await sink.numberVoters(voters.book.list());
  for (const { ballot, setAside } of box.finished(numbers)) {
    sink.putBallot(ballot);
    for (const { line, code, message } of setAside) sink.reject({ file, line, code, message });
  }
  return wasThere;
}
