import { z } from "zod";
import { DAY_MS } from "../../facts/days.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { GovernanceSource, HeldProposal } from "../../facts/governance-source.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { HttpClient } from "../http/http-client.ts";
import { HubSpace, spaceOfHub } from "../upstream/hub-objects.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { createRowTally, parseShape, RowError, reject } from "../upstream/row-error.ts";
import { askHub, type HubDoor, SPACE_QUERY } from "./ask-hub.ts";
import { fetchProposals, fetchProposalsById } from "./fetch-proposals.ts";
import { type FetchedVotes, fetchProposalVotes, planVotes } from "./fetch-votes.ts";
import { FRAME_DAYS, HUB_LIMITS, type HubObject, type HubReading, judgeRows } from "./hub-reading.ts";
import { createVoteBatches } from "./vote-batches.ts";

/** How to ask a hub. */
export interface SnapshotHubSettings {
  readonly http: HttpClient;
  readonly url: string;
  /** Rows of a page, from 1 to the 1,000 that the hub allows. */
  readonly pageSize: number;
  readonly nowMs: number;
  readonly apiKey?: string | undefined;
  /** Only proposals that end then or later; what is held of others stays. */
  readonly sinceMs?: number | undefined;
  /** The most votes that all spaces together may give. */
  readonly votesPerRunMax?: number;
  /** Ask for everything again. */
  readonly isFull: boolean;
  /** Told of every object as it came, for whoever writes an archive. */
  readonly record?: ((object: HubObject) => void) | undefined;
}

/**
 * A Snapshot hub. The proposals of the last two years are asked for again at each fetch, older ones and every whole
 * ballot once; an interrupted fetch goes on from its last page. What the hub no longer has is deleted here too.
 */
export function createSnapshotHubSource(settings: SnapshotHubSettings): GovernanceSource {
  const { http, url, pageSize, nowMs, isFull, sinceMs } = settings;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > HUB_LIMITS.pageSizeMax) {
    throw new PipelineError("BAD_OPTION", `a page of the hub has from 1 to ${HUB_LIMITS.pageSizeMax} rows`);
  }
  const door = { http, url, apiKey: settings.apiKey };
  const record = settings.record ?? (() => undefined);
  const budget = {
    votes: settings.votesPerRunMax ?? HUB_LIMITS.votesPerRunMax,
    withheldAlone: HUB_LIMITS.withheldAloneMax,
  };
  return {
    sourceId: "snapshot-hub",
    async fetchSpace({ spaceId }, sink) {
      const reading: HubReading = { door, spaceId, sink, pageSize, nowMs, isFull, budget, record };
      const note = sink.memory?.note();
      const fromS = listFromS({ note, sinceMs, isFull, nowMs });
      await fetchSpaceObject(reading);
      await fetchListed(reading, fromS);
      sink.memory?.putNote(writeNote(note, fromS, nowMs));
    },
  };
}

/** Takes the space's configuration. Throws `PipelineError` SOURCE_FAILED where the hub has none that can be. */
async function fetchSpaceObject({ door, spaceId, sink, record }: HubReading): Promise<void> {
  const object = await askForSpace(door, spaceId);
  if (object === null) {
    throw new PipelineError("SOURCE_FAILED", `the hub knows no such space: ${spaceId}`, {
      hint: "It was deleted, or its id in the registry is misspelt. What was fetched before is kept.",
    });
  }
  try {
    sink.put({ kind: "space", space: spaceOfHub(parseShape(HubSpace, object), spaceId) });
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    reject(sink, { file: `spaces/${spaceId}` }, error.code, error.message);
    throw new PipelineError("SOURCE_FAILED", `the hub's space ${spaceId} cannot be taken: ${error.message}`);
  }
  record({ kind: "space", spaceId, object });
}

/** Not every hub knows a forum; one that does not refuses the whole question. */
async function askForSpace(door: HubDoor, spaceId: string): Promise<unknown> {
  try {
    return await askHub(door, SPACE_QUERY, { id: spaceId });
  } catch (error) {
    if (!(error instanceof PipelineError && error.message.includes("status 400"))) throw error;
    const text = SPACE_QUERY.text.replace(" discussions", "");
    return await askHub(door, { ...SPACE_QUERY, text }, { id: spaceId });
  }
}

/** What the last complete fetch of a DAO listed: every proposal that ended at `fromS` or later, as of `atMs`. */
const ListingNote = z.object({ fromS: z.int().min(0), atMs: z.number() });
type ListingNote = z.infer<typeof ListingNote>;

/** The end, in seconds, from which proposals are listed; 0 lists them all. */
export function listFromS(given: {
  readonly note: string | undefined;
  /** `--since`. */
  readonly sinceMs: number | undefined;
  readonly isFull: boolean;
  readonly nowMs: number;
}): number {
  const wantedS = Math.max(0, Math.floor((given.sinceMs ?? 0) / 1000));
  const last = parseStored(ListingNote, given.note);
  if (given.isFull || last === undefined || last.fromS > wantedS) return wantedS;
  return Math.max(wantedS, frameFromS(last, given.nowMs));
}

/** The note to leave after a listing from `fromS`. */
export function writeNote(before: string | undefined, fromS: number, nowMs: number): string {
  const last = parseStored(ListingNote, before);
  // Further back than ever: whatever was listed before was listed again.
  if (last === undefined || fromS < last.fromS) return JSON.stringify({ fromS, atMs: nowMs });
  // What is older stays listed; as of now only where the listing left out nothing that may have changed.
  const isWhole = fromS <= Math.max(last.fromS, frameFromS(last, nowMs));
  return JSON.stringify({ fromS: last.fromS, atMs: isWhole ? nowMs : last.atMs });
}

/** What was in the frame at the last listing may have changed since, however long ago that was. */
function frameFromS({ atMs }: ListingNote, nowMs: number): number {
  return Math.floor((Math.min(nowMs, atMs) - FRAME_DAYS * DAY_MS) / 1000);
}

/** Takes every proposal from `fromS` on, then the votes on those that lack them; the others stay as they are. */
async function fetchListed(reading: HubReading, fromS: number): Promise<void> {
  const memory = reading.sink.memory;
  const held = new Map((memory?.heldProposals() ?? []).map((one) => [one.proposal.proposalId, one]));
  const listed = await fetchProposals(reading, fromS);
  const unseen = [...held.keys()].filter((id) => !listed.proposals.has(id));
  const isListable = ({ proposal }: HeldProposal) =>
    !proposal.isDeleted && (proposal.end?.atMs ?? Infinity) >= fromS * 1000;
  const vanished = unseen.filter((id) => !listed.refusedIds.has(id) && isListable(heldOf(held, id)));
  const found = await fetchProposalsById(reading, vanished);
  // A proposal that the hub has and cannot give is not gone.
  const isGone = (id: string) =>
    found.withheld === 0 && !found.proposals.has(id) && !found.refusedIds.has(id);
  const deleted = new Set(vanished.filter(isGone));
  if (!reading.isFull) refuseVanishing(deleted.size, [...held.values()].filter(isListable).length);

  const tally = createRowTally(reading.sink);
  const planned = [...listed.proposals.values(), ...found.proposals.values()].map((proposal) => ({
    proposal,
    plan: planVotes(proposal, held.get(proposal.proposalId), reading),
  }));
  const toFetch = planned.filter(({ plan }) => plan === "fetch").map(({ proposal }) => proposal);
  const firstPageOf = createVoteBatches(reading, toFetch);
  for (const { proposal, plan } of planned) {
    if (plan === "fetch") {
      const fetched = await fetchProposalVotes(reading, proposal, tally, await firstPageOf(proposal));
      putFetched(reading, proposal, fetched, held.get(proposal.proposalId));
    } else keepHeld(reading, proposal, plan, held.get(proposal.proposalId));
  }
  try {
    judgeRows("votes", tally);
  } catch (error) {
    // Kept pages that cannot be trusted would fail every fetch to come.
    for (const { proposal } of planned) memory?.forgetPages(proposal.proposalId);
    throw error;
  }
  for (const id of unseen) {
    if (found.proposals.has(id)) continue;
    if (deleted.has(id))
      reading.sink.put({ kind: "proposal", proposal: { ...heldOf(held, id).proposal, isDeleted: true } });
    if (deleted.has(id)) memory?.keepVotes(id);
    else memory?.keepProposal(id);
  }
}

/** People delete proposals one by one; a hub that lost its data lacks them all at once. */
function refuseVanishing(gone: number, sought: number): void {
  const { vanishedMax, vanishedShareMax } = HUB_LIMITS;
  if (gone <= vanishedMax || gone <= sought * vanishedShareMax) return;
  throw new PipelineError(
    "SOURCE_FAILED",
    `the hub no longer has ${gone} of ${sought} proposals that are held`,
    {
      hint: "The stored data are kept. If they are really gone, fetch with --full.",
    },
  );
}

function heldOf(held: ReadonlyMap<string, HeldProposal>, id: string): HeldProposal {
  const found = held.get(id);
  if (found === undefined) throw new RangeError("a proposal was never held");
  return found;
}

function putFetched(
  { sink }: HubReading,
  proposal: Proposal,
  fetched: FetchedVotes,
  held: HeldProposal | undefined,
): void {
  if (fetched.kind === "deleted") {
    sink.put({ kind: "proposal", proposal: { ...proposal, isDeleted: true } });
    if (held?.ballot !== undefined) sink.memory?.keepVotes(proposal.proposalId);
    return;
  }
  sink.put({ kind: "proposal", proposal });
  if (fetched.ballot.count > 0) sink.put({ kind: "votes", votes: fetched.ballot, isFinal: fetched.isFinal });
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
      ? "the ballot that is held was not complete when it was fetched"
      : `${votes} votes are held, and the hub counts ${votesCount}`;
  reject(sink, { file: `votes/${proposalId}` }, "VOTES_INCOMPLETE", message);
}
