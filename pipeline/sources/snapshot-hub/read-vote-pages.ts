import { PipelineError } from "../../base/pipeline-error.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { fetchPage } from "./fetch-page.ts";
import type { HubReading } from "./hub-reading.ts";
import { votersOf } from "./hub-voter.ts";
import { HUB_LIMITS } from "./limits.ts";
import { FIRST_PAGE, nextCursor, type PageCursor } from "./page-cursor.ts";
import { VOTES_QUERY } from "./queries.ts";
import { parseVotePage, slimVote, type VotePage, writeVotePage } from "./vote-page.ts";

/**
 * The pages of the votes on one proposal, oldest first: those that an interrupted fetch kept, then the hub's. Each
 * is kept before it is handed on.
 */
export async function* readVotePages(
  reading: HubReading,
  proposal: Proposal,
): AsyncGenerator<readonly unknown[]> {
  const { proposalId } = proposal;
  const basis = basisOf(reading, proposal);
  const memory = reading.sink.memory;
  let cursor: PageCursor | undefined = FIRST_PAGE;
  let isResuming = memory !== undefined;
  let taken = 0;
  // Every page but the last has a row at least, so that the count of rows ends the loop.
  for (let page = 0; cursor !== undefined; page += 1) {
    let next: VotePage | undefined;
    if (isResuming) {
      const text = memory?.resumedPage(proposalId, page);
      const kept = parseVotePage(text);
      next = kept?.basis === basis ? kept : undefined;
      isResuming = next !== undefined;
      // Pages of what the proposal was before would stand in the way of ours.
      if (!isResuming && (page === 0 || text !== undefined)) memory?.forgetPages(proposalId);
    }
    if (next === undefined) {
      next = await fetchVotePage(reading, proposalId, cursor, basis);
      const voters = votersOf(next.rows);
      memory?.checkpoint({ series: proposalId, page, payload: writeVotePage(next), voters });
    }
    taken += next.rows.length;
    if (taken > HUB_LIMITS.votesMax) {
      throw new PipelineError("SOURCE_FAILED", `a proposal has more than ${HUB_LIMITS.votesMax} votes`);
    }
    yield next.rows;
    cursor = next.isLast ? undefined : next.cursor;
  }
}

async function fetchVotePage(
  { door, pageSize, sink }: HubReading,
  proposalId: string,
  cursor: PageCursor,
  basis: string,
): Promise<VotePage> {
  const where = { proposal: proposalId };
  const { rows, pageSize: asked } = await fetchPage(door, VOTES_QUERY, where, cursor, pageSize);
  let next: PageCursor | undefined;
  try {
    next = nextCursor(cursor, rows, asked);
  } catch (error) {
    // The pages before this one came from a hub that was not itself; the next fetch asks for them again.
    sink.memory?.forgetPages(proposalId);
    throw error;
  }
  return { basis, cursor: next ?? cursor, isLast: next === undefined, rows: rows.map(slimVote) };
}

/** With `--full` only what another full fetch kept is trusted. */
function basisOf({ isFull }: HubReading, { end, scoresTotal, votesCount }: Proposal): string {
  return JSON.stringify([isFull, end?.atMs ?? null, scoresTotal ?? null, votesCount ?? null]);
}
