import { z } from "zod";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { GovernanceSource, HeldProposal, HeldSpace } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { ListedSpaces } from "../../facts/tracked.ts";
import { createPageReader } from "../graphql/page-reader.ts";
import type { HttpClient } from "../http/http-client.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { judgeRows, reject } from "../upstream/row-error.ts";
import { FRAME_DAYS, HUB_LIMITS, type HubObject, type HubReading, openHub } from "./ask-hub.ts";
import { readFeed } from "./change-feed.ts";
import { fetchProposalsById, listProposals } from "./fetch-proposals.ts";
import { fetchSpaceObject } from "./fetch-space.ts";
import { fetchProposalVotes, planVotes } from "./fetch-votes.ts";
import { listSpaces } from "./list-spaces.ts";
import { fetchInGroups } from "./vote-batches.ts";

interface SnapshotHubSettings {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Rows of a page, from 1 to the 1,000 that the hub allows. */
  readonly pageSize: number;
  readonly nowMs: number;
  /** Only fetch proposals that end at this time or later; held older ones stay. */
  readonly sinceMs?: number | undefined;
  readonly votesPerRunMax?: number;
  readonly isFull: boolean;
  /** Called with every object as received, to record an archive. */
  readonly record?: ((object: HubObject) => void) | undefined;
}

/**
 * Creates the source for a Snapshot hub. Each fetch requests the proposals of the last two years again, older
 * ones and every complete ballot only once; an interrupted fetch resumes after its last page. What the hub no
 * longer has is marked as deleted.
 */
export function createSnapshotHubSource(settings: SnapshotHubSettings) {
  const { pageSize, nowMs, isFull, sinceMs = 0 } = settings;
  const wantedS = Math.max(0, Math.floor(sinceMs / 1000));
  const hub = openHub(settings);
  const record = settings.record ?? (() => undefined);
  const budget = { votes: settings.votesPerRunMax ?? HUB_LIMITS.votesPerRunMax };
  const withheld = { count: 0, max: HUB_LIMITS.withheldMax };
  const pagesOf = (rows: typeof withheld) => createPageReader({ client: hub, pageSize, withheld: rows });
  /** The feed's rows of spaces that are still to be fetched. */
  const spaceRows = new Map<string, unknown>();
  const source: GovernanceSource = {
    sourceId: "snapshot-hub",
    async fetchSpace({ spaceId }, sink) {
      const spaceRow = spaceRows.get(spaceId);
      // Asked for anew if this fetch fails and is tried again.
      spaceRows.delete(spaceId);
      const space = { pages: pagesOf(withheld), spaceId, sink, spaceRow };
      // A record has the votes of one proposal after the other.
      const ballotsAtOnce = settings.record === undefined ? hub.queriesMax() : 1;
      const reading: HubReading = { ...space, ballotsAtOnce, nowMs, isFull, budget, record };
      const { fromS, note } = planListing(sink.memory?.note(), { wantedS, isFull, nowMs });
      await fetchSpaceObject(reading);
      await fetchListed(reading, fromS);
      sink.memory?.putNote(JSON.stringify(note));
    },
  };
  return {
    ...source,
    /** How many queries share a request. */
    queriesMax: hub.queriesMax,
    listSpaces: (list: ListedSpaces["list"]) => listSpaces(pagesOf({ ...withheld }), list),
    /** Tells beforehand which of these spaces the hub has, and which did not change. */
    async readFeed(spaceIds: readonly string[], heldOf: (spaceId: string) => HeldSpace | undefined) {
      const isCovered = (held: HeldSpace | undefined) =>
        (parseStored(ListingNote, held?.note)?.fromS ?? Infinity) <= wantedS;
      const feed = await readFeed(pagesOf({ ...withheld }), spaceIds, {
        nowMs,
        heldOf(spaceId) {
          const held = isFull ? undefined : heldOf(spaceId);
          return isCovered(held) ? held : undefined;
        },
      });
      for (const [spaceId, { row }] of feed.spaces)
        if (!feed.unchanged.has(spaceId)) spaceRows.set(spaceId, row);
      return feed;
    },
  };
}

/** What the last complete fetch listed: every proposal that ended at `fromS` or later, at the time `atMs`. */
const ListingNote = z.object({ fromS: z.int().min(0), atMs: z.number() });

/** Returns the earliest end, in seconds, of the proposals to list (0 lists all), and the note to store after that. */
function planListing(
  before: string | undefined,
  { wantedS, isFull, nowMs }: { readonly wantedS: number; readonly isFull: boolean; readonly nowMs: number },
): { readonly fromS: number; readonly note: z.infer<typeof ListingNote> } {
  const last = parseStored(ListingNote, before);
  if (last === undefined) return { fromS: wantedS, note: { fromS: wantedS, atMs: nowMs } };
  // Proposals within the frame at the last listing may have changed since, however long ago that was.
  const frameS = Math.floor((Math.min(nowMs, last.atMs) - FRAME_DAYS * DAY_MS) / 1000);
  const fromS = isFull || last.fromS > wantedS ? wantedS : Math.max(wantedS, frameS);
  // This listing goes back further than any before it, so it includes them all.
  if (fromS < last.fromS) return { fromS, note: { fromS, atMs: nowMs } };
  // Older proposals stay listed. The time advances only if this listing covers all that may have changed.
  const isWhole = fromS <= Math.max(last.fromS, frameS);
  return { fromS, note: { fromS: last.fromS, atMs: isWhole ? nowMs : last.atMs } };
}

/** Fetches every proposal from `fromS` on, then the votes that are missing; others stay unchanged. */
async function fetchListed(reading: HubReading, fromS: number): Promise<void> {
  const memory = reading.sink.memory;
  const held = new Map((memory?.heldProposals() ?? []).map((one) => [one.proposal.proposalId, one]));
  // The hub ignores `end_gte: 0`, which is right here: all proposals are wanted.
  const listed = await listProposals(reading, [{ end_gte: fromS }]);
  const unseen = [...held].filter(([id]) => !listed.proposals.has(id));
  const isListable = ({ proposal }: HeldProposal) =>
    !proposal.isDeleted && (proposal.end?.atMs ?? Infinity) >= fromS * 1000;
  const vanished = unseen.flatMap(([id, one]) => (listed.refusedIds.has(id) || !isListable(one) ? [] : [id]));
  const answered = await fetchProposalsById(reading, vanished);
  // A proposal that the hub has but cannot return is not deleted.
  const isGone = (id: string) =>
    answered.withheld === 0 && !answered.proposals.has(id) && !answered.refusedIds.has(id);
  const deleted = new Set(vanished.filter(isGone));
  if (!reading.isFull) refuseVanishing(deleted.size, [...held.values()].filter(isListable).length);

  const proposals = [...listed.proposals.values(), ...answered.proposals.values()];
  const toFetch: Proposal[] = [];
  for (const proposal of proposals) {
    const before = held.get(proposal.proposalId);
    const plan = planVotes(proposal, before, reading);
    if (plan === "fetch") toFetch.push(proposal);
    else keepHeld(reading, proposal, plan, before);
  }
  const counts = { rows: 0, malformed: 0 };
  await fetchInGroups(reading, toFetch, async (proposal, first) => {
    const before = held.get(proposal.proposalId);
    const { rows, malformed } = await fetchProposalVotes(reading, proposal, { first, held: before });
    counts.rows += rows;
    counts.malformed += malformed;
  });
  try {
    judgeRows("votes of the hub", counts);
  } catch (error) {
    // Invalid stored pages would make every later fetch fail.
    for (const { proposalId } of proposals) memory?.forgetPages(proposalId);
    throw error;
  }
  for (const [id, { proposal }] of unseen) {
    if (deleted.has(id)) {
      reading.sink.put({ kind: "proposal", proposal: { ...proposal, isDeleted: true } });
      memory?.keepVotes(id);
    } else if (!answered.proposals.has(id)) memory?.keepProposal(id);
  }
}

/** Throws if too many proposals are missing: people delete a few, a hub that lost its data misses many. */
function refuseVanishing(gone: number, sought: number): void {
  const { vanishedMax, vanishedShareMax } = HUB_LIMITS;
  if (gone <= vanishedMax || gone <= sought * vanishedShareMax) return;
  throw sourceFailed(`the hub no longer has ${gone} of ${sought} held proposals`, {
    hint: "The stored data are kept. If they were really deleted, fetch with --full.",
  });
}

function keepHeld(
  { sink }: HubReading,
  proposal: Proposal,
  plan: "keep" | "none",
  held: HeldProposal | undefined,
): void {
  const { proposalId, votesCount } = proposal;
  sink.put({ kind: "proposal", proposal });
  if (plan === "none") return;
  sink.memory?.keepVotes(proposalId);
  if (held?.ballot?.isFinal !== false) return;
  const { votes } = held.ballot;
  const message =
    votesCount === undefined || votesCount === votes
      ? "the held ballot was incomplete when it was fetched"
      : `${votes} votes are held, but the hub counts ${votesCount}`;
  reject(sink, { file: `votes/${proposalId}` }, "VOTES_INCOMPLETE", message);
}
