import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { isPipelineFailure, sourceFailed } from "../../facts/errors.ts";
import type { HeldSpace } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { PageReader } from "../graphql/page-reader.ts";
import { HubProposal, proposalOfHub, spaceOfHub } from "../upstream/hub-objects.ts";
import { isRowFailure, parseShape } from "../upstream/row-error.ts";
import { FRAME_DAYS, HUB_LIMITS, RETRY_DAYS, SPACES_QUERY } from "./ask-hub.ts";
import { readProposalRows } from "./fetch-proposals.ts";
import { planVotes } from "./fetch-votes.ts";
import { readListing } from "./pages.ts";

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

/** A space of the hub, and how many proposals and votes the hub says that it has. */
export interface FeedSpace {
  readonly proposalsCount?: number | null | undefined;
  readonly votesCount?: number | null | undefined;
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
  pages: PageReader,
  spaceIds: readonly string[],
  { nowMs, heldOf }: { readonly nowMs: number; readonly heldOf: (spaceId: string) => HeldSpace | undefined },
) {
  const known = new Map<string, HeldSpace>();
  for (const spaceId of spaceIds) {
    const held = heldOf(spaceId);
    if (held !== undefined && held.fetchedAtMs > nowMs - KNOWN_DAYS * DAY_MS) known.set(spaceId, held);
  }
  const [spaces, listings] = await Promise.all([
    readSpaces(pages, spaceIds),
    readProposals(pages, known, nowMs),
  ]);
  /** Those that a fetch would leave as they are. */
  const unchanged = new Set<string>();
  for (const [spaceId, held] of known) {
    const listing = listings.get(spaceId);
    const isSameSettings = isSameSpace(spaces.get(spaceId)?.row, spaceId, held);
    if (isSameSettings && listing !== undefined && isSame(held, listing, nowMs)) unchanged.add(spaceId);
  }
  return { spaces, unchanged };
}

async function readSpaces(
  pages: PageReader,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, FeedSpace>> {
  const spaces = new Map<string, FeedSpace>();
  const asked = new Set(spaceIds);
  const readBatch = async (batch: readonly string[]) => {
    // One more than can come, so that the page is known to be the last.
    const most = batch.length + 1;
    for await (const { rows } of readListing(pages, SPACES_QUERY, { id_in: batch }, most)) {
      // One that the hub has but cannot return may be any of these.
      if (rows.includes(undefined)) {
        for (const spaceId of batch) if (!spaces.has(spaceId)) spaces.set(spaceId, { row: undefined });
      }
      for (const row of rows) {
        const size = Sized.safeParse(row).data;
        if (size !== undefined && asked.has(size.id)) spaces.set(size.id, { ...size, row });
      }
    }
  };
  await Promise.all([...inBatches(spaceIds, HUB_LIMITS.idsMax)].map(readBatch));
  return spaces;
}

function isSameSpace(row: unknown, spaceId: string, held: HeldSpace): boolean {
  const read = row === undefined ? undefined : ifValid(() => spaceOfHub(row, spaceId).space);
  return read !== undefined && isDeepStrictEqual(read, held.space);
}

/** `undefined` for a row that would be rejected. */
function ifValid<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isRowFailure(error)) return undefined;
    throw error;
  }
}

/** Proposals of one space by id; `undefined` for one that cannot be read. */
type Proposals = ReadonlyMap<string, Proposal | undefined>;

interface Listing {
  readonly proposals: Proposals;
  /** Everything that ends at this time or later was listed. */
  readonly endFromMs: number;
}

/**
 * Lists what may have changed in the spaces since they were fetched: proposals that are new, were edited, or ended so late
 * that their scores may have come since; and everything in the frame of the spaces whose day it is. A space is missing
 * from the result if the hub cannot return a row that may be its own.
 */
async function readProposals(
  pages: PageReader,
  known: ReadonlyMap<string, HeldSpace>,
  nowMs: number,
): Promise<ReadonlyMap<string, Listing>> {
  let sinceMs = nowMs;
  for (const { fetchedAtMs } of known.values()) sinceMs = Math.min(sinceMs, fetchedAtMs);
  sinceMs -= OVERLAP_MS;
  const endFromMs = sinceMs - SCORES_LATE_MS;
  const frameFromMs = nowMs - FRAME_DAYS * DAY_MS;
  // What is new ends later than it began, so that it is in the second window.
  const recent = await readGroups(
    pages,
    [...known.keys()],
    [{ updated_gte: Math.floor(sinceMs / 1000) }, { end_gte: Math.floor(endFromMs / 1000) }],
  );
  const due = new Set(
    [...recent.keys()].filter((spaceId) => isDue(spaceId, known.get(spaceId)?.fetchedAtMs ?? 0, nowMs)),
  );
  const framed = await readGroups(pages, [...due], [{ end_gte: Math.floor(frameFromMs / 1000) }]);
  const listings = new Map<string, Listing>();
  for (const [spaceId, proposals] of recent) {
    const all = framed.get(spaceId);
    if (all !== undefined) {
      const fromMs = Math.min(frameFromMs, endFromMs);
      listings.set(spaceId, { proposals: new Map([...proposals, ...all]), endFromMs: fromMs });
    } else if (!due.has(spaceId)) listings.set(spaceId, { proposals, endFromMs });
  }
  return listings;
}

/** Whether a space's day, one of every thirty, has come since it was fetched. */
function isDue(spaceId: string, fetchedAtMs: number, nowMs: number): boolean {
  const slot = createHash("sha256").update(spaceId).digest().readUInt16BE(0) % RELIST_DAYS;
  const turnOf = (atMs: number) => Math.floor((Math.floor(atMs / DAY_MS) - slot) / RELIST_DAYS);
  return turnOf(nowMs) > turnOf(fetchedAtMs);
}

type Window = Readonly<Record<string, number>>;

/** Reads the same windows of all spaces, many at a time; a space with a row that the hub cannot return is missing. */
async function readGroups(
  pages: PageReader,
  spaceIds: readonly string[],
  windows: readonly Window[],
): Promise<ReadonlyMap<string, Proposals>> {
  const read = new Map<string, Proposals>();
  let groupMax = SPACES_PER_QUERY_MAX;
  const groups: (readonly string[])[] = spaceIds.length === 0 ? [] : [spaceIds];
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    if (group.length <= groupMax) {
      try {
        const listed = await readWindows(pages, group, windows);
        for (const [spaceId, proposals] of listed ?? []) read.set(spaceId, proposals);
        if (listed !== undefined || group.length === 1) continue;
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
  return read;
}

/** The proposals in all windows by space; `undefined` if the hub cannot return one of them. */
async function readWindows(
  pages: PageReader,
  spaceIds: readonly string[],
  windows: readonly Window[],
): Promise<ReadonlyMap<string, Proposals> | undefined> {
  const read = new Map(spaceIds.map((spaceId) => [spaceId, new Map<string, Proposal | undefined>()]));
  let isWithheld = false;
  const readWindow = async (window: Window) => {
    for await (const row of readProposalRows(pages, { space_in: spaceIds, ...window })) {
      if (row === undefined) {
        isWithheld = true;
        continue;
      }
      const { id, space } = OfSpace.safeParse(row).data ?? {};
      const proposals = read.get(space?.id ?? "");
      if (id === undefined || proposals === undefined) {
        throw sourceFailed("the hub listed a proposal of a space that was not asked for");
      }
      proposals.set(
        id,
        ifValid(() => proposalOfHub(parseShape(HubProposal, row))),
      );
    }
  };
  await Promise.all(windows.map(readWindow));
  return isWithheld ? undefined : read;
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
