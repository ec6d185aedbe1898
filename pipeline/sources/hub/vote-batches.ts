import { z } from "zod";
import type { Proposal } from "../../facts/proposal.ts";
import { VOTES_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";
import { readHubPages } from "./pages.ts";
import { keepPage, onlyPage, resumedPage, type VotePage } from "./vote-pages.ts";

/** The proposal of a vote; the rest is checked with the ballot. */
const OfProposal = z.object({ proposal: z.object({ id: z.string() }) });

/** Returns the only page of a proposal's votes, or `undefined` if they must be fetched separately. */
type FirstPageOf = (proposal: Proposal) => Promise<VotePage | undefined>;

/**
 * Fetches the votes of many small ballots in one request. The votes of a proposal are used only if they must be
 * complete: every row belongs to one of the proposals, and this one has as many as it declares. All others are fetched
 * and checked one by one. Call the result once per proposal, in order.
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
function packBatches(proposals: readonly Proposal[], pageSize: number): readonly (readonly Proposal[])[] {
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
  for (const proposal of batch) {
    const rows = rowsOf?.get(proposal.proposalId) ?? [];
    if (rows.length !== proposal.votesCount) continue;
    const page = onlyPage(reading, proposal, rows);
    keepPage(reading, proposal.proposalId, 0, page);
    pages.set(proposal.proposalId, page);
  }
}

/** All rows by proposal; `undefined` if there are others, or if it is unclear whose rows are missing. */
async function fetchRowsOf(
  reading: HubReading,
  batch: readonly Proposal[],
): Promise<ReadonlyMap<string, readonly unknown[]> | undefined> {
  const rowsOf = new Map<string, unknown[]>(batch.map(({ proposalId }) => [proposalId, []]));
  const where = { space: reading.spaceId, proposal_in: [...rowsOf.keys()] };
  let withheld = 0;
  let came = 0;
  for await (const { rows } of readHubPages(reading, VOTES_QUERY, where)) {
    came += rows.length;
    // A batch fits into one page; a second one is of a hub that counts otherwise.
    if (came > 2 * reading.pageSize) return undefined;
    for (const row of rows) {
      const id = OfProposal.safeParse(row).data?.proposal.id;
      if (row === undefined) withheld += 1;
      else if (id === undefined || rowsOf.get(id)?.push(row) === undefined) return undefined;
    }
  }
  const lacking = batch.reduce((sum, { proposalId, votesCount = 0 }) => {
    return sum + Math.max(0, votesCount - (rowsOf.get(proposalId)?.length ?? 0));
  }, 0);
  // A proposal that seems complete could lack one of the withheld rows, if no other lacks it.
  return withheld === 0 || lacking === withheld ? rowsOf : undefined;
}
