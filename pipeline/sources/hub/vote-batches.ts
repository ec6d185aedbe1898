import { z } from "zod";
import type { Proposal } from "../../facts/proposal.ts";
import { AskForLess, VOTES_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";
import { FIRST_PAGE, fetchRows } from "./pages.ts";
import { keepPage, onlyPage, resumedPage, type VotePage } from "./vote-pages.ts";

/** The proposal of a vote; the rest is checked with the ballot. */
const OfProposal = z.object({ proposal: z.object({ id: z.string() }) });

/** Returns the only page of a proposal's votes, or `undefined` if they must be fetched separately. */
type FirstPageOf = (proposal: Proposal) => Promise<VotePage | undefined>;

/**
 * Fetches the votes of many small ballots in one request. An answer is used only if it must be complete: the
 * page is not full, every row belongs to one of the proposals, and a proposal has as many as it declares.
 * Otherwise the batch is halved; single proposals are fetched and checked as usual. Call the result once per
 * proposal, in order.
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
    // Pages that an interrupted fetch stored are not requested again.
    const missing = batch.filter((member) => resumedPage(reading, member, 0) === undefined);
    await fetchBatch(reading, missing, pages);
    const page = pages.get(proposalId);
    pages.delete(proposalId);
    return page;
  };
}

/** Groups consecutive ballots so that they do not fill a page: a full one may be truncated. */
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
  // A single proposal is fetched as usual.
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

/** All rows by proposal; `undefined` if they may be incomplete or belong to other proposals. */
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
