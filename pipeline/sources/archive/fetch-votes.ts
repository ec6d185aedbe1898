import { createBallotBox } from "../../facts/ballot-box.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type ArchiveReading, readRows } from "./read-rows.ts";
import { scanVotes } from "./scan-votes.ts";
import { takeVote } from "./take-vote.ts";
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

  const take = takeVote(box, voters, proposals);
  const wasThere = await readRows(reading, file, take, scanVotes(box, voters, proposals));
  const numbers = await sink.numberVoters(voters.book.list());
  for (const { ballot, setAside } of box.finished(numbers)) {
    sink.putBallot(ballot);
    for (const { line, code, message } of setAside) sink.reject({ file, line, code, message });
  }
  return wasThere;
}
