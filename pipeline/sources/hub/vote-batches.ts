import { z } from "zod";
import type { Proposal } from "../../facts/proposal.ts";
import { AskForLess, VOTES_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";
import { FIRST_PAGE, fetchRows } from "./pages.ts";
import { keepPage, onlyPage, resumedPage, type VotePage } from "./vote-pages.ts";

/** Whose vote it is; the rest is judged with the ballot. */
const OfProposal = z.object({ proposal: z.object({ id: z.string() }) });

/** Gives the only page of a proposal's votes; `undefined` where they are to be asked for alone. */
type FirstPageOf = (proposal: Proposal) => Promise<VotePage | undefined>;

/**
 * Asks for the votes of many small ballots at once. What comes of it is taken where it can be nothing but all: the page
 * was not full, every row belongs to one of the proposals, and a proposal has as many as it declares. Anything else is
 * asked for in halves, and at last alone, where it is judged. `proposals` are asked about in their order, each once.
 */
export function createVoteBatches(reading: HubReading, proposals: readonly Proposal[]): FirstPageOf {
  const batches = new Map<string, readonly Proposal[]>();
  for (const batch of packBatches(proposals, reading.pageSize)) {
    for (const { proposalId } of batch) batches.set(proposalId, batch);
  }
  const pages = new Map<string, VotePage>();
  return async (proposal) => {
    const { proposalId } = proposal;
    const batch = batches.get(proposalId) ?? [];
    for (const member of batch) batches.delete(member.proposalId);
    // Pages that an interrupted fetch kept are not asked for again.
    const missing = batch.filter((member) => resumedPage(reading, member, 0) === undefined);
    await fetchBatch(reading, missing, pages);
    const page = pages.get(proposalId);
    pages.delete(proposalId);
    return page;
  };
}

/** Consecutive ballots that together leave room in a page: one that is full may have been cut. */
export function packBatches(
  proposals: readonly Proposal[],
  pageSize: number,
): readonly (readonly Proposal[])[] {
  const batches: Proposal[][] = [];
  let room = 0;
  for (const proposal of proposals) {
    const { votesCount } = proposal;
    if (votesCount === undefined || votesCount >= pageSize) continue;
    const batch = batches.at(-1);
    if (batch === undefined || votesCount > room || batch.length === HUB_LIMITS.idsMax) {
      batches.push([proposal]);
      room = pageSize - 1 - votesCount;
    } else {
      batch.push(proposal);
      room -= votesCount;
    }
  }
  return batches;
}

async function fetchBatch(
  reading: HubReading,
  batch: readonly Proposal[],
  pages: Map<string, VotePage>,
): Promise<void> {
  // One alone is asked for as any other.
  if (batch.length < 2) return;
  const rowsOf = await fetchRowsOf(reading, batch);
  if (rowsOf === undefined) {
    const half = Math.ceil(batch.length / 2);
    await fetchBatch(reading, batch.slice(0, half), pages);
    await fetchBatch(reading, batch.slice(half), pages);
    return;
  }
  for (const proposal of batch) {
    const own = rowsOf.get(proposal.proposalId) ?? [];
    if (own.length !== proposal.votesCount) continue;
    const page = onlyPage(reading, proposal, own);
    keepPage(reading, proposal.proposalId, 0, page);
    pages.set(proposal.proposalId, page);
  }
}

/** All rows by proposal; `undefined` where it may not be all, or is not only theirs. */
async function fetchRowsOf(
  reading: HubReading,
  batch: readonly Proposal[],
): Promise<ReadonlyMap<string, readonly unknown[]> | undefined> {
  const rowsOf = new Map<string, unknown[]>(batch.map(({ proposalId }) => [proposalId, []]));
  const where = { proposal_in: [...rowsOf.keys()] };
  try {
    const rows = await fetchRows(reading, VOTES_QUERY, where, FIRST_PAGE, reading.pageSize);
    const areOurs = rows.every((row) => {
      const id = OfProposal.safeParse(row).data?.proposal.id;
      return id !== undefined && rowsOf.get(id)?.push(row) !== undefined;
    });
    return areOurs && rows.length < reading.pageSize ? rowsOf : undefined;
  } catch (error) {
    if (error instanceof AskForLess) return undefined;
    throw error;
  }
}
