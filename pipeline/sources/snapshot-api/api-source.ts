import { z } from "zod";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { GovernanceSource, HeldProposal } from "../../facts/governance-source.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { createRowTally, judgeRows, parseShape, reject, rowFailure } from "../upstream/row-error.ts";
import { ApiProposal, proposalOfApi, spaceOfApi } from "./api-rows.ts";
import { type ApiReading, fetchVotes, type Polled } from "./fetch-votes.ts";
import {
  API_LIMITS,
  type ApiAccess,
  openApi,
  PROPOSALS_QUERY,
  readSpace,
  settledBlock,
  spelled,
} from "./open-api.ts";

interface ApiSettings extends ApiAccess {
  readonly nowMs: number;
  readonly isFull: boolean;
  readonly pageSize?: number;
}

/** What a fetch stores for the next one: the space, and the block up to which it was read. */
const ApiNote = z.object({ indexer: z.string(), space: z.string(), block: z.int().min(0) });

/** A young proposal may be lost with the block that had it. */
const YOUNG_MS = DAY_MS;

/**
 * Creates the source for Snapshot's on-chain API: the proposals and votes of governors and of Snapshot X. Each fetch reads
 * everything as of one block; ended ballots are read once, unless a vote was added since.
 */
export function createSnapshotApiSource(settings: ApiSettings): GovernanceSource {
  const budget = { votes: API_LIMITS.votesPerRunMax };
  return {
    sourceId: "snapshot-api",
    async fetchSpace({ spaceId, onchain }, sink) {
      if (onchain === undefined) throw sourceFailed(`the registry names no on-chain space for ${spaceId}`);
      const { indexer } = onchain;
      const space = spelled(onchain.space);
      const api = openApi(settings, indexer, settings.pageSize);
      const note = parseStored(ApiNote, sink.memory?.note());
      const isSame = note?.indexer === indexer && note.space === space;
      const readTo = isSame && !settings.isFull ? note.block : undefined;
      const block = await settledBlock(api, readTo);
      const isFull = settings.isFull || !isSame;
      await fetchAll({ api, space, block, sink, isFull, budget }, settings.nowMs);
      sink.memory?.putNote(JSON.stringify({ indexer, space, block } satisfies z.input<typeof ApiNote>));
    },
  };
}

async function fetchAll(reading: ApiReading, nowMs: number): Promise<void> {
  const { api, sink, block, isFull } = reading;
  const listing = { block, skip: 0, most: API_LIMITS.proposalsMax };
  const [spaceRow, rows] = await Promise.all([
    readSpace(api, reading.space, block),
    api.readRows(PROPOSALS_QUERY, { space: reading.space }, listing),
  ]);
  if (rows.length === API_LIMITS.proposalsMax) {
    throw sourceFailed(`the on-chain API lists more than ${API_LIMITS.proposalsMax} proposals of one space`);
  }
  sink.put({ kind: "space", space: spaceOfApi(spaceRow) });
  const { polled, refused } = takeProposals(reading, rows, { protocol: spaceRow.protocol, nowMs });
  const held = new Map((sink.memory?.heldProposals() ?? []).map((one) => [one.proposal.proposalId, one]));
  if (!isFull) keepMissing(reading, held, { polled, refused, nowMs });
  const toFetch: Polled[] = [];
  for (const one of polled.values()) {
    const before = held.get(one.proposal.proposalId);
    if (isToFetch(one, before, isFull)) toFetch.push(one);
    else putHeld(reading, one, before);
  }
  await fetchVotes(reading, toFetch);
}

/** Parses the listed proposals, by id; `refused` are the ids of those that cannot be used. */
function takeProposals(
  { api, sink, space }: ApiReading,
  rows: readonly unknown[],
  context: { readonly protocol: string; readonly nowMs: number },
) {
  const file = `proposals/${space}`;
  const tally = createRowTally(sink);
  const polled = new Map<string, Polled>();
  let refused = 0;
  for (const [index, listed] of rows.entries()) {
    const line = index + 1;
    if (listed === undefined) {
      reject(sink, { file, line }, "BAD_SHAPE", "the on-chain API cannot return it");
      refused += 1;
      continue;
    }
    const taken = tally.row({ file, line }, () => {
      const row = parseShape(ApiProposal, listed);
      if (row.space.id !== space || row._indexer !== api.indexer) {
        throw rowFailure("ID_INVALID", "it is a proposal of another space than requested");
      }
      return { proposal: proposalOfApi(row, context), row };
    });
    if (taken === undefined) refused += 1;
    else polled.set(taken.proposal.proposalId, taken);
  }
  judgeRows("proposals of the on-chain API", tally);
  return { polled, refused };
}

/**
 * A chain forgets nothing. Throws `SOURCE_FAILED` if the service no longer has a held proposal that is not young, or counts
 * fewer votes on it: then it lost its data or indexes anew. If a listed row cannot be read, held proposals are kept.
 */
function keepMissing(
  { sink }: ApiReading,
  held: ReadonlyMap<string, HeldProposal>,
  listed: { readonly polled: ReadonlyMap<string, Polled>; readonly refused: number; readonly nowMs: number },
): void {
  let lost = 0;
  for (const [id, { proposal }] of held) {
    const now = listed.polled.get(id);
    const isYoung = listed.nowMs - (proposal.end?.atMs ?? 0) < YOUNG_MS;
    if (now === undefined && listed.refused > 0) sink.memory?.keepProposal(id);
    else if (!isYoung && (now?.row.vote_count ?? -1) < (proposal.votesCount ?? 0)) lost += 1;
  }
  if (lost === 0) return;
  throw sourceFailed(`the on-chain API no longer has all votes of ${lost} of ${held.size} held proposals`, {
    hint: "Data fetched earlier is kept. It may be indexing anew; if the data were wrong, fetch with --full.",
  });
}

/** Votes are fetched once they can no longer change, and again if the service counts others than before. */
function isToFetch({ proposal, row }: Polled, held: HeldProposal | undefined, isFull: boolean): boolean {
  if (proposal.state !== "closed" || row.vote_count === 0) return false;
  if (isFull || held?.ballot?.isFinal !== true) return true;
  return held.proposal.revision !== proposal.revision;
}

/** Puts a proposal whose votes are not fetched; a held ballot stays, with the window that its votes needed. */
function putHeld({ sink }: ApiReading, { proposal }: Polled, held: HeldProposal | undefined): void {
  const window = held?.ballot && { start: held.proposal.start, end: held.proposal.end };
  sink.put({ kind: "proposal", proposal: { ...proposal, ...window } });
  if (window !== undefined) sink.memory?.keepVotes(proposal.proposalId);
}
