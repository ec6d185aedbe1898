import { z } from "zod";
import { inOrder } from "../../../snapshots/base/concurrency.ts";
import { createVotesBuilder } from "../../facts/collect-votes.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { CastVote } from "../../facts/proposal-votes.ts";
import { parseStored, votersOf } from "../upstream/parse-values.ts";
import {
  createRowTally,
  judgeRows,
  parseShape,
  type RowTally,
  reject,
  rowFailure,
} from "../upstream/row-error.ts";
import { type ApiProposal, ApiVote, StoredVote, voteOfApi } from "./api-rows.ts";
import { type ApiAtBlock, VOTES_QUERY } from "./open-api.ts";

export interface Polled {
  readonly proposal: Proposal;
  readonly row: ApiProposal;
}

export interface ApiReading {
  readonly api: ApiAtBlock;
  /** The contract, as the service spells it. */
  readonly space: string;
  readonly block: number;
  readonly sink: SpaceSink;
  readonly isFull: boolean;
  /** The votes that a run may still store. */
  readonly budget: { votes: number };
}

/** Proposals whose votes are read together: one large ballot, or several that fit into a page. */
interface Group {
  readonly polled: readonly Polled[];
  readonly votesCount: number;
}

/** One part of a group's votes. The last part is read to its end. */
interface Part {
  readonly group: Group;
  readonly index: number;
  readonly isLast: boolean;
}

const StoredPart = z.object({ basis: z.string(), votes: z.array(z.unknown()), withheld: z.int().min(0) });
type StoredPart = z.infer<typeof StoredPart>;

/**
 * Fetches the votes on ended proposals, several parts at a time, and puts each proposal with its ballot. A difference from
 * what the service counts is reported: a voter who votes twice overwrites the row, while both votes are counted.
 */
export async function fetchVotes(reading: ApiReading, all: readonly Polled[]): Promise<void> {
  const { api, sink } = reading;
  const parts = groupsOf(all, api.pageSize).flatMap((group) => partsOf(group, api.pageSize));
  const tally = createRowTally(sink);
  let votes: unknown[] = [];
  let withheld = 0;
  for await (const [part, stored] of inOrder(parts, api.queriesMax(), (one) => readPart(reading, one))) {
    for (const vote of stored.votes) votes.push(vote);
    withheld += stored.withheld;
    if (!part.isLast) continue;
    putGroup(reading, part.group, { votes, withheld, tally });
    votes = [];
    withheld = 0;
  }
  judgeRows("votes of the on-chain API", tally);
}

function groupsOf(all: readonly Polled[], pageSize: number): readonly Group[] {
  const groups: { polled: Polled[]; votesCount: number }[] = [];
  for (const one of all) {
    const { vote_count: votes } = one.row;
    const last = groups.at(-1);
    // A full page may not be the last.
    if (last === undefined || last.votesCount + votes >= pageSize)
      groups.push({ polled: [one], votesCount: votes });
    else {
      last.polled.push(one);
      last.votesCount += votes;
    }
  }
  return groups;
}

function partsOf(group: Group, pageSize: number): readonly Part[] {
  const count = 1 + Math.floor(group.votesCount / pageSize);
  return Array.from({ length: count }, (_, index) => ({ group, index, isLast: index === count - 1 }));
}

/** Reads and stores a part. One that is stored is not read again, unless a vote was added or taken back since. */
async function readPart(reading: ApiReading, part: Part): Promise<readonly [Part, StoredPart]> {
  const { api, block, sink, space, budget } = reading;
  const { group, index, isLast } = part;
  const basis = JSON.stringify([
    reading.isFull,
    group.polled.map(({ proposal }) => proposal.revision),
    api.pageSize,
  ]);
  // The group's pages are stored under its first proposal.
  const series = group.polled[0]?.proposal.proposalId ?? "";
  const text = sink.memory?.resumedPage(series, index);
  const stored = parseStored(StoredPart, text);
  if (stored?.basis === basis) return [part, stored];
  if (text !== undefined) sink.memory?.forgetPages(series);
  const where = { space, proposal_in: group.polled.map(({ row }) => row.proposal_id) };
  const skip = index * api.pageSize;
  // The service counts at least as many votes as it has rows.
  const most = isLast ? group.votesCount + 1 - skip : api.pageSize;
  const rows = await api.readRows(VOTES_QUERY, where, { block, skip, most });
  if (isLast && rows.length === most) {
    throw sourceFailed("the on-chain API lists more votes than it counts", {
      hint: "Data fetched earlier is kept. It may be indexing anew; run again later.",
    });
  }
  const known = rows.filter((row) => row !== undefined);
  budget.votes -= known.length;
  if (budget.votes < 0) throw sourceFailed("the on-chain API sent more votes than a run accepts");
  const read: StoredPart = { basis, votes: known.map(slimVote), withheld: rows.length - known.length };
  const payload = JSON.stringify(read);
  sink.memory?.checkpoint({ series, page: index, payload, voters: votersOf(read.votes) });
  return [part, read];
}

/** A vote reduced to what is read of it; `null` if it is none of this space. */
function slimVote(row: unknown): StoredVote | null {
  const vote = ApiVote.safeParse(row).data;
  if (vote === undefined) return null;
  const { proposal, choice, vp, created } = vote;
  const isReasonGiven = (vote.metadata?.reason ?? "").trim() !== "";
  return { proposal, voter: vote.voter.id, choice, vp, created, isReasonGiven };
}

function putGroup(
  { sink }: ApiReading,
  { polled }: Group,
  { votes, withheld, tally }: { votes: readonly unknown[]; withheld: number; tally: RowTally },
): void {
  const votesOf = new Map<string, StoredVote[]>(polled.map(({ row }) => [row.proposal_id, []]));
  const file = `votes/${polled.map(({ proposal }) => proposal.proposalId).join(",")}`.slice(0, 200);
  const refusedBefore = tally.refused;
  for (const [index, row] of votes.entries()) {
    const vote = StoredVote.safeParse(row).data;
    const asked = votesOf.get(vote?.proposal ?? "");
    if (vote !== undefined && asked !== undefined) asked.push(vote);
    else {
      tally.row({ file, line: index + 1 }, () => {
        parseShape(StoredVote, row);
        throw rowFailure("PROPOSAL_UNKNOWN", "it is a vote on another proposal than requested");
      });
    }
  }
  const isWhole = withheld === 0 && tally.refused === refusedBefore;
  for (const one of polled) putBallot(sink, one, votesOf.get(one.row.proposal_id) ?? [], { tally, isWhole });
}

function putBallot(
  sink: SpaceSink,
  { proposal, row }: Polled,
  votes: readonly StoredVote[],
  { tally, isWhole }: { readonly tally: RowTally; readonly isWhole: boolean },
): void {
  const file = `votes/${proposal.proposalId}`;
  const refusedBefore = tally.refused;
  const cast = votes.flatMap((vote, index) => {
    const line = index + 1;
    const read = () => voteOfApi(vote, { decimals: row.vp_decimals, line }, sink.internVoter);
    return tally.row({ file, line }, read) ?? [];
  });
  const widened = withinWindow(proposal, cast);
  const builder = createVotesBuilder(widened);
  for (const vote of cast) builder.add(vote);
  const power = votes.reduce((sum, { vp }) => sum + BigInt(vp), 0n);
  const { ballot, setAside } = builder.finish();
  for (const { line, code, message } of setAside) reject(sink, { file, line }, code, message);
  const differences = [
    ...(votes.length === row.vote_count
      ? []
      : [`${votes.length} votes are listed, ${row.vote_count} counted`]),
    ...(power === BigInt(row.scores_total) ? [] : ["the power of the listed votes differs from the total"]),
  ];
  if (differences.length > 0) reject(sink, { file }, "VOTES_INCOMPLETE", differences.join("; "));
  sink.put({ kind: "proposal", proposal: widened });
  // The service has nothing more at this block: a difference alone does not have the votes fetched again.
  const isFinal = isWhole && tally.refused === refusedBefore;
  if (ballot.count > 0) sink.put({ kind: "votes", votes: ballot, isFinal });
}

/**
 * The service estimates the times of blocks that are still to come, and a contract accepts no vote outside its window: the
 * window includes every vote.
 */
function withinWindow(proposal: Proposal, votes: readonly CastVote[]): Proposal {
  const times = votes.flatMap(({ created }) => (created === undefined ? [] : created.atS * 1000));
  const first = times.reduce((least, atMs) => Math.min(least, atMs), proposal.start?.atMs ?? Infinity);
  const last = times.reduce((most, atMs) => Math.max(most, atMs), proposal.end?.atMs ?? -Infinity);
  return {
    ...proposal,
    start: { atMs: first, precision: "second" },
    end: { atMs: last, precision: "second" },
  };
}
