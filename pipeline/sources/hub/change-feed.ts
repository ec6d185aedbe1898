import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { isPipelineFailure, sourceFailed } from "../../facts/errors.ts";
import type { HeldSpace } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HubProposal, proposalOfHub, spaceOfHub } from "../upstream/hub-objects.ts";
import { isRowFailure } from "../upstream/row-error.ts";
import { PROPOSALS_QUERY, SPACES_QUERY } from "./ask-hub.ts";
import type { SpaceSize } from "./estimate.ts";
import { planVotes } from "./fetch-votes.ts";
import { FRAME_DAYS, HUB_LIMITS, type PageReading, RETRY_DAYS } from "./hub-reading.ts";
import { readHubPages } from "./pages.ts";

/** The hub's clock may differ from ours, and a row may become visible a while after its time. */
const OVERLAP_MS = DAY_MS;

/** Final scores may come so long after a vote has ended. Later ones are found when its space is listed again. */
const SCORES_LATE_MS = 7 * DAY_MS;

/** Each space is listed again once in so many days, whatever the feed says: deletions leave no trace in it. */
const RELIST_DAYS = 30;

/** What was fetched longer ago is fetched by itself. */
const KNOWN_DAYS = 45;

/** Spaces of one query at first; a hub that accepts fewer is asked in smaller steps. */
const SPACES_PER_QUERY_MAX = 10_000;
const SPACES_PER_QUERY_MIN = 25;

/** What the hub said of the spaces that it was asked about. */
export interface Feed {
  /** The spaces that the hub has. */
  readonly spaces: ReadonlyMap<string, FeedSpace>;
  /** Those that a fetch would leave as they are. */
  readonly unchanged: ReadonlySet<string>;
}

/** A space of the hub, with its sizes. */
interface FeedSpace extends SpaceSize {
  /** Its settings as received; `undefined` if the hub could not return them. */
  readonly row: unknown;
}

const Count = z.int().min(0).nullish().catch(null);
const Sized = z.object({ id: z.string(), proposalsCount: Count, votesCount: Count });
const OfSpace = z.object({ id: z.string(), space: z.object({ id: z.string() }) });

/**
 * Asks a hub once about all spaces: which of them it has, and, for those held, whether their settings or proposals changed
 * since they were fetched. A space is unchanged only if every row about it says what is held, nothing held is missing from
 * a row's list, and no vote is still to be fetched. Throws `SOURCE_FAILED` if the hub cannot be asked so.
 */
export async function readFeed(
  reading: PageReading,
  spaceIds: readonly string[],
  { nowMs, heldOf }: { readonly nowMs: number; readonly heldOf: (spaceId: string) => HeldSpace | undefined },
): Promise<Feed> {
  const known = new Map<string, HeldSpace>();
  for (const spaceId of spaceIds) {
    const held = heldOf(spaceId);
    if (held !== undefined && held.fetchedAtMs > nowMs - KNOWN_DAYS * DAY_MS) known.set(spaceId, held);
  }
  const [spaces, listings] = await Promise.all([
    readSpaces(reading, spaceIds),
    readProposals(reading, known, nowMs),
  ]);
  const unchanged = new Set<string>();
  for (const [spaceId, held] of known) {
    const listing = listings.get(spaceId);
    const isSameSettings = isSameSpace(spaces.get(spaceId)?.row, spaceId, held);
    if (isSameSettings && listing !== undefined && isSame(held, listing, nowMs)) unchanged.add(spaceId);
  }
  return { spaces, unchanged };
}

/** The spaces that the hub has. */
async function readSpaces(
  reading: PageReading,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, FeedSpace>> {
  const spaces = new Map<string, FeedSpace>();
  const asked = new Set(spaceIds);
  const batches: string[][] = [];
  for (let from = 0; from < spaceIds.length; from += HUB_LIMITS.idsMax) {
    batches.push(spaceIds.slice(from, from + HUB_LIMITS.idsMax));
  }
  await Promise.all(
    batches.map(async (batch) => {
      // One more than can come, so that the page is known to be the last.
      const most = batch.length + 1;
      for await (const { rows } of readHubPages(reading, SPACES_QUERY, { id_in: batch }, most)) {
        // One that the hub has but cannot return may be any of these.
        if (rows.includes(undefined)) {
          for (const spaceId of batch) if (!spaces.has(spaceId)) spaces.set(spaceId, { row: undefined });
        }
        for (const row of rows) {
          const size = Sized.safeParse(row).data;
          if (size === undefined || !asked.has(size.id)) continue;
          spaces.set(size.id, { ...size, row });
        }
      }
    }),
  );
  return spaces;
}

function isSameSpace(row: unknown, spaceId: string, held: HeldSpace): boolean {
  try {
    return row !== undefined && isDeepStrictEqual(spaceOfHub(row, spaceId).space, held.space);
  } catch (error) {
    if (isRowFailure(error)) return false;
    throw error;
  }
}

/** A proposal's row, with its own id and that of its space. */
interface OfSpaceRow {
  readonly id: string;
  readonly spaceId: string;
  readonly row: unknown;
}

/** The proposals of one space that the feed listed. */
interface Listing {
  /** `undefined` for one that cannot be read. */
  readonly proposals: Map<string, Proposal | undefined>;
  /** Everything that ends at this time or later was listed. */
  endFromMs: number;
}

/**
 * Lists what may have changed in the spaces since they were fetched: proposals that are new, were edited, or ended so late
 * that their scores may have come since; and everything in the frame of the spaces whose day it is. A space is missing
 * from the result if the hub cannot return a row that may be its own.
 */
async function readProposals(
  reading: PageReading,
  known: ReadonlyMap<string, HeldSpace>,
  nowMs: number,
): Promise<ReadonlyMap<string, Listing>> {
  const listings = new Map<string, Listing>();
  const all = [...known.keys()];
  const due = all.filter((spaceId) => isDue(spaceId, known.get(spaceId)?.fetchedAtMs ?? 0, nowMs));
  let sinceMs = nowMs;
  for (const { fetchedAtMs } of known.values()) sinceMs = Math.min(sinceMs, fetchedAtMs);
  sinceMs -= OVERLAP_MS;
  const endFromMs = sinceMs - SCORES_LATE_MS;
  const frameFromMs = nowMs - FRAME_DAYS * DAY_MS;
  // What is new ends later than it began, so that it is in the second window.
  const windows = [{ updated_gte: Math.floor(sinceMs / 1000) }, { end_gte: Math.floor(endFromMs / 1000) }];
  await readGroups(reading, all, windows, (spaceIds, rows) => {
    for (const spaceId of spaceIds) listings.set(spaceId, { proposals: new Map(), endFromMs });
    addRows(listings, rows);
  });
  const relistable = due.filter((spaceId) => listings.has(spaceId));
  const relisted = new Set<string>();
  const frame = [{ end_gte: Math.floor(frameFromMs / 1000) }];
  await readGroups(reading, relistable, frame, (spaceIds, rows) => {
    for (const spaceId of spaceIds) {
      relisted.add(spaceId);
      const listing = listings.get(spaceId);
      if (listing !== undefined) listing.endFromMs = Math.min(frameFromMs, endFromMs);
    }
    addRows(listings, rows);
  });
  for (const spaceId of relistable) if (!relisted.has(spaceId)) listings.delete(spaceId);
  return listings;
}

/** Whether a space's day, one of every thirty, has come since it was fetched. */
function isDue(spaceId: string, fetchedAtMs: number, nowMs: number): boolean {
  const slot = createHash("sha256").update(spaceId).digest().readUInt16BE(0) % RELIST_DAYS;
  const turnOf = (atMs: number) => Math.floor((Math.floor(atMs / DAY_MS) - slot) / RELIST_DAYS);
  return turnOf(nowMs) > turnOf(fetchedAtMs);
}

/** Reads the same windows of all spaces, many at a time; of a space with a row that the hub cannot return, nothing. */
async function readGroups(
  reading: PageReading,
  spaceIds: readonly string[],
  windows: readonly Readonly<Record<string, number>>[],
  take: (spaceIds: readonly string[], rows: readonly OfSpaceRow[]) => void,
): Promise<void> {
  let groupMax = SPACES_PER_QUERY_MAX;
  const groups: (readonly string[])[] = spaceIds.length === 0 ? [] : [spaceIds];
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    if (group.length <= groupMax) {
      try {
        const rows = await readWindows(reading, group, windows);
        if (rows !== undefined) {
          take(group, rows);
          continue;
        }
        if (group.length === 1) continue;
      } catch (error) {
        // A hub that is away is not asked for less.
        const isRefused = isPipelineFailure(error) && !error.isPassing;
        if (!isRefused || group.length <= SPACES_PER_QUERY_MIN) throw error;
        groupMax = Math.min(groupMax, Math.ceil(group.length / 2));
      }
    }
    const half = Math.min(groupMax, Math.ceil(group.length / 2));
    groups.push(group.slice(half), group.slice(0, half));
  }
}

/** The rows of all windows; `undefined` if the hub cannot return one of them. */
async function readWindows(
  reading: PageReading,
  spaceIds: readonly string[],
  windows: readonly Readonly<Record<string, number>>[],
): Promise<readonly OfSpaceRow[] | undefined> {
  const asked = new Set(spaceIds);
  const rows: OfSpaceRow[] = [];
  let isWithheld = false;
  const read = async (window: Readonly<Record<string, number>>) => {
    const where = { space_in: spaceIds, ...window };
    for await (const page of readHubPages(reading, PROPOSALS_QUERY, where)) {
      if (page.isCut || page.cursor?.downTo !== undefined) {
        throw sourceFailed("more proposals were created in one second than the hub allows to skip");
      }
      for (const row of page.rows) {
        if (row === undefined) {
          isWithheld = true;
          continue;
        }
        const { id, space } = OfSpace.safeParse(row).data ?? {};
        if (id === undefined || space === undefined || !asked.has(space.id)) {
          throw sourceFailed("the hub listed a proposal of a space that was not asked for");
        }
        rows.push({ id, spaceId: space.id, row });
      }
      if (rows.length > HUB_LIMITS.proposalsMax) {
        throw sourceFailed(`the hub lists more than ${HUB_LIMITS.proposalsMax} proposals`);
      }
    }
  };
  await Promise.all(windows.map(read));
  return isWithheld ? undefined : rows;
}

function addRows(listings: ReadonlyMap<string, Listing>, rows: readonly OfSpaceRow[]): void {
  for (const { id, spaceId, row } of rows) listings.get(spaceId)?.proposals.set(id, readable(row));
}

function readable(row: unknown): Proposal | undefined {
  const hub = HubProposal.safeParse(row).data;
  try {
    return hub === undefined ? undefined : proposalOfHub(hub);
  } catch (error) {
    if (isRowFailure(error)) return undefined;
    throw error;
  }
}

/** Whether a fetch of the space would leave its proposals and votes as they are. */
function isSame(held: HeldSpace, { proposals, endFromMs }: Listing, nowMs: number): boolean {
  const heldOnes = new Map(held.proposals().map((one) => [one.proposal.proposalId, one]));
  for (const [id, proposal] of proposals) {
    if (proposal === undefined || !isDeepStrictEqual(proposal, heldOnes.get(id)?.proposal)) return false;
  }
  for (const [id, one] of heldOnes) {
    const { proposal } = one;
    const endMs = proposal.end?.atMs ?? Infinity;
    if (proposal.isDeleted) continue;
    if (endMs >= endFromMs && !proposals.has(id)) return false;
    if (endMs > nowMs || nowMs - endMs > RETRY_DAYS * DAY_MS) continue;
    const isCounted = proposal.state === "closed" && proposal.scoresState === "final";
    if (!isCounted || planVotes(proposal, one, { nowMs, isFull: false }) === "fetch") return false;
  }
  return true;
}
