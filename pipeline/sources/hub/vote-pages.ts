import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { parseStored, votersOf } from "../upstream/parse-values.ts";
import { VOTES_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading } from "./hub-reading.ts";
import { FIRST_PAGE, fetchHubPage, nextPage, PageCursor } from "./pages.ts";

/** A page of votes as stored for resuming an interrupted fetch. */
const VotePage = z.object({
  /** The proposal's version at the time of the request; with another version the page is useless. */
  basis: z.string(),
  cursor: PageCursor,
  isLast: z.boolean(),
  rows: z.array(z.unknown()),
  /** Rows that the hub has but cannot return. */
  withheld: z.int().min(0).default(0),
  /** More votes were cast in one second than the hub lets anybody read; the others are lost. */
  isCut: z.boolean().default(false),
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
  const { proposalId } = proposal;
  const memory = reading.sink.memory;
  let cursor: PageCursor | undefined = FIRST_PAGE;
  let isResuming = memory !== undefined && first === undefined;
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
      keepPage(reading, proposalId, page, next);
    }
    taken += next.rows.length + next.withheld;
    if (taken > HUB_LIMITS.votesMax) {
      throw sourceFailed(`a proposal has more than ${HUB_LIMITS.votesMax} votes`);
    }
    yield next;
    cursor = next.isLast ? undefined : next.cursor;
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
export function keepPage(
  { sink, budget }: HubReading,
  proposalId: string,
  page: number,
  kept: VotePage,
): void {
  budget.votes -= kept.rows.length;
  if (budget.votes < 0) {
    throw sourceFailed("the hub sent more votes than a run accepts from one hub", {
      hint: "Completed DAOs are kept, and the next run continues from there. Check that this is the right hub.",
    });
  }
  const voters = votersOf(kept.rows);
  sink.memory?.checkpoint({ series: proposalId, page, payload: JSON.stringify(kept), voters });
}

/** The only page of a proposal, from the hub's rows. */
export function onlyPage({ isFull }: HubReading, proposal: Proposal, rows: readonly unknown[]): VotePage {
  const basis = basisOf(isFull, proposal);
  return { basis, cursor: FIRST_PAGE, isLast: true, rows: rows.map(slimVote), withheld: 0, isCut: false };
}

async function fetchVotePage(reading: HubReading, proposal: Proposal, cursor: PageCursor): Promise<VotePage> {
  const { sink, isFull, spaceId } = reading;
  const { proposalId } = proposal;
  // The hub's index of votes begins with the space.
  const where = { space: spaceId, proposal: proposalId };
  const page = await fetchHubPage(reading, VOTES_QUERY, where, { cursor });
  try {
    const next = nextPage(cursor, page);
    const rows = next.rows.filter((row) => row !== undefined).map(slimVote);
    return {
      basis: basisOf(isFull, proposal),
      cursor: next.cursor ?? cursor,
      isLast: next.cursor === undefined,
      rows,
      withheld: next.rows.length - rows.length,
      isCut: next.isCut,
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

const FIELDS = ["id", "proposal", "voter", "created", "choice", "vp", "vp_state"] as const;

/**
 * Reduces a vote to the fields that we read, in a form that JSON can store. Of a reason only whether it is
 * empty; a number that JSON cannot hold (`1e309` is Infinity here) becomes −1, which is rejected for the same
 * reason.
 */
function slimVote(row: unknown): unknown {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return null;
  const slim: Record<string, unknown> = {};
  const given = new Map(Object.entries(row));
  for (const field of FIELDS) {
    if (given.has(field)) slim[field] = writable(given.get(field));
  }
  const reason = given.get("reason");
  if (reason !== undefined) slim["reason"] = typeof reason === "string" ? reasonMark(reason) : reason;
  return slim;
}

function reasonMark(reason: string): string {
  return reason.trim() === "" ? "" : "given";
}

function writable(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : -1;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(writable);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, writable(inner)]));
}
