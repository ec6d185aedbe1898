import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { parseStored, votersOf } from "../upstream/parse-values.ts";
import { HUB_LIMITS, type HubReading, VOTES_QUERY } from "./ask-hub.ts";
import { FIRST_PAGE, fetchListedPage, nextPage, PageCursor } from "./pages.ts";

const VotePage = z.object({
  /** The proposal's version at the time of the request; with another version the page is useless. */
  basis: z.string(),
  /** Where the next page begins; none after the last one. */
  cursor: PageCursor.optional(),
  rows: z.array(z.unknown()),
  withheld: z.int().min(0),
  /** More votes were cast in one second than the hub lets anybody read; the others are lost. */
  isCut: z.boolean(),
});
export type VotePage = z.infer<typeof VotePage>;

/**
 * Yields the pages of votes on one proposal, oldest first: those stored by an interrupted fetch or a batch,
 * then the hub's. Stores each page before yielding it.
 */
export async function* readVotePages(
  reading: HubReading,
  proposal: Proposal,
  first: VotePage | undefined,
): AsyncGenerator<VotePage> {
  let cursor: PageCursor | undefined = FIRST_PAGE;
  let isResuming = first === undefined;
  let taken = 0;
  // Every page but the last has a row or moves to a later second, so the row limit ends the loop.
  for (let page = 0; cursor !== undefined; page += 1) {
    let next: VotePage | undefined = page === 0 ? first : undefined;
    if (isResuming) {
      next = resumedPage(reading, proposal, page);
      isResuming = next !== undefined;
    }
    if (next === undefined) {
      next = await fetchVotePage(reading, proposal, cursor);
      keepPage(reading, proposal, page, next);
    }
    taken += next.rows.length + next.withheld;
    if (taken > HUB_LIMITS.votesMax) {
      throw sourceFailed(`a proposal has more than ${HUB_LIMITS.votesMax} votes`);
    }
    yield next;
    cursor = next.cursor;
  }
}

/** A page that an interrupted fetch stored. Drops stored pages of other versions of the proposal. */
export function resumedPage({ sink, isFull }: HubReading, proposal: Proposal, page: number) {
  const { proposalId } = proposal;
  const text = sink.memory?.resumedPage(proposalId, page);
  const kept = parseStored(VotePage, text);
  if (kept?.basis === basisOf(isFull, proposal)) return kept;
  // Left in the store, they would be mixed with the new pages.
  if (page === 0 || text !== undefined) sink.memory?.forgetPages(proposalId);
  return undefined;
}

/**
 * Stores a page immediately, so that it survives a failed fetch. Throws `SOURCE_FAILED` if the
 * hub sends more votes than a run accepts; DAOs completed by then are kept.
 */
function keepPage(
  { sink, budget }: HubReading,
  { proposalId: series }: Proposal,
  page: number,
  kept: VotePage,
): void {
  budget.votes -= kept.rows.length;
  if (budget.votes < 0) {
    throw sourceFailed("the hub sent more votes than a run accepts from one hub", {
      hint: "Completed DAOs are kept, and the next run continues from there. Check that this is the right hub.",
    });
  }
  sink.memory?.checkpoint({ series, page, payload: JSON.stringify(kept), voters: votersOf(kept.rows) });
}

/** Makes the hub's rows the only page of a proposal, and stores it. */
export function keepOnlyPage(reading: HubReading, proposal: Proposal, given: readonly unknown[]): VotePage {
  const basis = basisOf(reading.isFull, proposal);
  const rows = slimVotes(given);
  const page = { basis, rows, withheld: 0, isCut: false };
  keepPage(reading, proposal, 0, page);
  return page;
}

async function fetchVotePage(reading: HubReading, proposal: Proposal, cursor: PageCursor): Promise<VotePage> {
  const { pages, sink, isFull, spaceId } = reading;
  const { proposalId } = proposal;
  // The hub's index of votes begins with the space.
  const where = { space: spaceId, proposal: proposalId };
  const page = await fetchListedPage(pages, VOTES_QUERY, where, { cursor });
  const given = page.rows.filter((row) => row !== undefined);
  try {
    return {
      basis: basisOf(isFull, proposal),
      ...nextPage(cursor, page),
      rows: slimVotes(given),
      withheld: page.rows.length - given.length,
    };
  } catch (error) {
    // The earlier pages came from a faulty answer; the next fetch requests them again.
    sink.memory?.forgetPages(proposalId);
    throw error;
  }
}

/** With `--full`, only pages stored by another full fetch are used. */
function basisOf(isFull: boolean, { end, scoresTotal, votesCount, revision }: Proposal): string {
  return JSON.stringify([isFull, end?.atMs, scoresTotal, votesCount, revision].map((value) => value ?? null));
}

/** The fields that we read of a vote; those of a wrong type are left for the parser to reject. */
const VoteFields = z
  .object({
    id: z.unknown(),
    proposal: z.unknown(),
    voter: z.unknown(),
    created: z.unknown(),
    choice: z.unknown(),
    vp: z.unknown(),
    vp_state: z.unknown(),
    /** Only whether it is empty is stored. */
    reason: z
      .string()
      .transform((reason) => (reason.trim() === "" ? "" : "given"))
      .or(z.unknown()),
  })
  .partial();

/**
 * Reduces votes to the fields that we read, in a form that JSON can store: what is no vote becomes `null`, and a number that
 * JSON cannot hold (`1e309` is Infinity here) becomes −1, which is rejected for the same reason.
 */
function slimVotes(rows: readonly unknown[]): unknown[] {
  const slim = rows.map((row) => VoteFields.safeParse(row).data ?? null);
  const writable = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? -1 : value;
  return JSON.parse(JSON.stringify(slim, writable)) as unknown[];
}
