import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { VOTES_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading, votersOf } from "./hub-reading.ts";
import { FIRST_PAGE, fetchPage, nextCursor, type PageCursor } from "./pages.ts";

/** A page of votes as it is kept between an interrupted fetch and the next one. */
const VotePage = z.object({
  /** What the proposal was when the page was asked for; of another one it is worth nothing. */
  basis: z.string(),
  cursor: z.object({ createdGte: z.int().min(0), skip: z.int().min(0) }),
  isLast: z.boolean(),
  rows: z.array(z.unknown()),
});
export type VotePage = z.infer<typeof VotePage>;

const FIELDS = ["id", "proposal", "voter", "created", "choice", "vp", "vp_state"] as const;

/** The page as text. */
export function writeVotePage(page: VotePage): string {
  return JSON.stringify(page);
}

/** Back from `writeVotePage`; `undefined` for anything else. */
export function parseVotePage(text: string | undefined): VotePage | undefined {
  if (text === undefined) return undefined;
  try {
    return VotePage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * What we read of a vote, in a form that outlives being written as JSON. Of a reason only that there is one; a
 * number that JSON cannot hold (`1e309` is Infinity here) becomes −1, which is refused for the same cause.
 */
export function slimVote(row: unknown): unknown {
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
