import { z } from "zod";
import { createVotesBuilder } from "../../facts/collect-votes.ts";
import { DAY_MS } from "../../facts/days.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { HeldProposal } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { HubVote, proposalIdOf, voteOfHub } from "../upstream/hub-objects.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { parseShape, RowError, type RowTally, reject } from "../upstream/row-error.ts";
import { VOTES_QUERY } from "./ask-hub.ts";
import { HUB_LIMITS, type HubReading, paddedAddress, RETRY_DAYS, votersOf } from "./hub-reading.ts";
import { FIRST_PAGE, fetchPage, nextCursor, type PageCursor } from "./pages.ts";

/** What to do about the votes on one proposal. */
type VotesPlan = "fetch" | "keep" | "none";

/**
 * Votes are taken once, when they can change no more: the vote has ended and its scores are final. Power may stay
 * open until then. A held ballot is asked for again where it lacks votes, and where the hub now says something else
 * of what its votes are read by.
 */
export function planVotes(
  proposal: Proposal,
  held: HeldProposal | undefined,
  { nowMs, isFull }: { readonly nowMs: number; readonly isFull: boolean },
): VotesPlan {
  const holding = held?.ballot === undefined ? "none" : "keep";
  const endMs = proposal.end?.atMs ?? Infinity;
  const isOver = proposal.state === "closed" && proposal.scoresState === "final" && endMs <= nowMs;
  if (!isOver || proposal.isDeleted) return holding;
  // A count that falls to nothing is a fault more often than news: what is held stays, and the run's report tells.
  if (proposal.votesCount === 0) return isFull ? "none" : holding;
  if (isFull || held?.ballot === undefined || isChanged(proposal, held.proposal)) return "fetch";
  return held.ballot.isFinal || nowMs - endMs > RETRY_DAYS * DAY_MS ? "keep" : "fetch";
}

function isChanged(now: Proposal, before: Proposal): boolean {
  return (
    now.start?.atMs !== before.start?.atMs ||
    now.end?.atMs !== before.end?.atMs ||
    now.votingType !== before.votingType ||
    now.choicesCount !== before.choicesCount ||
    now.scoresState !== before.scoresState ||
    now.scoresTotal !== before.scoresTotal ||
    now.votesCount !== before.votesCount ||
    // A ballot of a program that did not ask for it is not asked for again because of that.
    (before.revision !== undefined && now.revision !== before.revision)
  );
}

/** The votes on one proposal, or that the hub no longer has the proposal. */
type FetchedVotes =
  | { readonly kind: "ballot"; readonly ballot: ProposalVotes; readonly isFinal: boolean }
  | { readonly kind: "deleted" };

/**
 * Takes all votes on one proposal and reconciles their count with the proposal's; a difference, or a power that is not
 * final, is a rejection and makes the ballot one that is asked for again.
 */
export async function fetchProposalVotes(
  reading: HubReading,
  proposal: Proposal,
  tally: RowTally,
): Promise<FetchedVotes> {
  const { sink, spaceId, record } = reading;
  const file = `votes/${proposal.proposalId}`;
  const builder = createVotesBuilder(proposal);
  let line = 0;
  let refused = 0;

  const take = (row: unknown) => {
    const hub = parseShape(HubVote, row);
    if (proposalIdOf(hub) !== proposal.proposalId) {
      throw new RowError("PROPOSAL_UNKNOWN", "it is a vote on another proposal than was asked for");
    }
    builder.add(voteOfHub({ ...hub, voter: paddedAddress(hub.voter) }, line, sink.internVoter));
    return true;
  };
  for await (const rows of readVotePages(reading, proposal)) {
    for (const row of rows) {
      line += 1;
      if (isOfDeletedProposal(row)) return { kind: "deleted" };
      if (tally.row({ file, line }, () => take(row)) === undefined) refused += 1;
      record({ kind: "vote", spaceId, object: row });
    }
  }
  const { ballot, setAside } = builder.finish();
  for (const { line: at, code, message } of setAside) reject(sink, { file, line: at }, code, message);
  const missing = whatIsMissing(proposal, ballot, refused);
  for (const message of missing) reject(sink, { file }, "VOTES_INCOMPLETE", message);
  return { kind: "ballot", ballot, isFinal: missing.length === 0 };
}

function isOfDeletedProposal(row: unknown): boolean {
  return typeof row === "object" && row !== null && "proposal" in row && row.proposal === null;
}

/** Why a ballot is one that is asked for again; nothing where it is complete. */
function whatIsMissing({ votesCount }: Proposal, ballot: ProposalVotes, refused: number): readonly string[] {
  const reasons: string[] = [];
  // One row a voter, so that the two can be compared.
  const came = ballot.count + refused;
  if (votesCount !== undefined && votesCount !== came) {
    reasons.push(`${came} voters came, and the hub counts ${votesCount}`);
  }
  const open = ballot.flags.reduce((sum, flags) => sum + ((flags & VOTE_FLAGS.final) === 0 ? 1 : 0), 0);
  if (open > 0) reasons.push(`the power of ${open} of ${ballot.count} votes was not final`);
  return reasons;
}

/** A page of votes as it is kept between an interrupted fetch and the next one. */
const VotePage = z.object({
  /** What the proposal was when the page was asked for; of another one it is worth nothing. */
  basis: z.string(),
  cursor: z.object({ createdGte: z.int().min(0), skip: z.int().min(0) }),
  isLast: z.boolean(),
  rows: z.array(z.unknown()),
});
type VotePage = z.infer<typeof VotePage>;

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
      const kept = parseStored(VotePage, text);
      next = kept?.basis === basis ? kept : undefined;
      isResuming = next !== undefined;
      // Pages of what the proposal was before would stand in the way of ours.
      if (!isResuming && (page === 0 || text !== undefined)) memory?.forgetPages(proposalId);
    }
    if (next === undefined) {
      next = await fetchVotePage(reading, proposalId, cursor, basis);
      const voters = votersOf(next.rows);
      memory?.checkpoint({ series: proposalId, page, payload: JSON.stringify(next), voters });
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
function basisOf({ isFull }: HubReading, { end, scoresTotal, votesCount, revision }: Proposal): string {
  return JSON.stringify([isFull, end?.atMs, scoresTotal, votesCount, revision].map((value) => value ?? null));
}

const FIELDS = ["id", "proposal", "voter", "created", "choice", "vp", "vp_state"] as const;

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
