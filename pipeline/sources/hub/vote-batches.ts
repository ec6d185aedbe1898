import { z } from "zod";
import { forEachInFlight } from "../../../snapshots/base/concurrency.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HUB_LIMITS, type HubReading, VOTES_QUERY } from "./ask-hub.ts";
import { readListing } from "./pages.ts";
import { keepOnlyPage, resumedPage, type VotePage } from "./vote-pages.ts";

/** The proposal of a vote; the rest is checked with the ballot. */
const OfProposal = z.object({ proposal: z.object({ id: z.string() }) });

/**
 * Fetches the votes on proposals, several groups at a time, by calling `fetchOne` for each with its only page, if the
 * group's request had it. If one fails, those under way end first: their pages are kept, and nothing is asked after it.
 */
export async function fetchInGroups(
  reading: HubReading,
  proposals: readonly Proposal[],
  fetchOne: (proposal: Proposal, first: VotePage | undefined) => Promise<void>,
): Promise<void> {
  const groups = groupBallots(proposals, reading.pages.pageSize);
  await forEachInFlight(groups, reading.ballotsAtOnce, async (group) => {
    const pages = await fetchGroup(reading, group);
    for (const proposal of group) await fetchOne(proposal, pages.get(proposal.proposalId));
  });
}

/**
 * Groups proposals whose votes are fetched together: consecutive small ballots that do not fill a page, as a full one may
 * be truncated; every other proposal alone.
 */
function groupBallots(proposals: readonly Proposal[], pageSize: number): readonly (readonly Proposal[])[] {
  const groups: Proposal[][] = [];
  let small: Proposal[] | undefined;
  let room = 0;
  for (const proposal of proposals) {
    const { votesCount } = proposal;
    if (votesCount === undefined || votesCount >= pageSize) {
      groups.push([proposal]);
      continue;
    }
    if (small === undefined || votesCount > room || small.length === HUB_LIMITS.idsMax) {
      small = [];
      groups.push(small);
      room = pageSize - 1;
    }
    small.push(proposal);
    room -= votesCount;
  }
  return groups;
}

/**
 * Fetches the votes of a group in one request; returns the only pages of its proposals. The votes of a proposal are used
 * only if they must be complete: every row belongs to one of the proposals, and this one has as many as it declares. All
 * others are fetched and checked one by one.
 */
async function fetchGroup(
  reading: HubReading,
  group: readonly Proposal[],
): Promise<ReadonlyMap<string, VotePage>> {
  const pages = new Map<string, VotePage>();
  // Pages that an interrupted fetch stored are not requested again.
  const batch = group.filter((proposal) => resumedPage(reading, proposal, 0) === undefined);
  // A single proposal is fetched as usual.
  if (batch.length < 2) return pages;
  const rowsOf = await fetchRowsOf(reading, batch);
  for (const proposal of batch) {
    const rows = rowsOf?.get(proposal.proposalId) ?? [];
    if (rows.length !== proposal.votesCount) continue;
    pages.set(proposal.proposalId, keepOnlyPage(reading, proposal, rows));
  }
  return pages;
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
  for await (const { rows } of readListing(reading.pages, VOTES_QUERY, where)) {
    came += rows.length;
    // A batch fits into one page; a second one is of a hub that counts otherwise.
    if (came > 2 * reading.pages.pageSize) return undefined;
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
