import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DelegationEvent } from "../../facts/dao-facts.ts";
import { invariant, sourceFailed } from "../../facts/errors.ts";
import type { FetchMemory, GovernanceSource, SpaceSink } from "../../facts/governance-source.ts";
import type { GovernorToken, TrackedDao } from "../../facts/tracked.ts";
import { createGovernorSource } from "../governor/governor-source.ts";
import { chainRecordFile, openChainRecord } from "./chain-record.ts";
import { fetchDelegateLists } from "./fetch-delegate-lists.ts";
import { fetchLogs, fetchProposals, fetchSpaceObject, fetchVotes } from "./fetch-records.ts";
import type { ArchiveReading } from "./read-rows.ts";

/** Bytes of a DAO's proposals and votes, which are nearly all of its data. A missing file counts as 0. */
export function archivedBytes(directory: string, spaceId: string): number {
  return ["proposals", "votes"].reduce((sum, folder) => {
    const stat = statSync(join(directory, folder, `${spaceId}.ndjson`), { throwIfNoEntry: false });
    return sum + (stat?.size ?? 0);
  }, 0);
}

/** Folders with one file, or folder, per DAO, and what its name ends in. */
const OWN: readonly (readonly [folder: string, ending: string])[] = [
  ["spaces", ".json"],
  ["proposals", ".ndjson"],
  ["votes", ".ndjson"],
  ["delegates", ""],
];

/** Names in a folder; empty if it is missing or unreadable, as the fetch itself reports the reason. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The space ids for which an archive has files, sorted. From file names only, so an id may be any text. */
export function archivedSpaces(directory: string): readonly string[] {
  const spaceIds = OWN.flatMap(([folder, ending]) =>
    namesIn(join(directory, folder))
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, name.length - ending.length)),
  );
  return [...new Set(spaceIds)].sort();
}

/** Whether an archive has logs of a DAO's token, or recorded node answers about the DAO. */
export function hasArchivedChain(directory: string, { spaceId, governor }: TrackedDao): boolean {
  if (governor === undefined) return false;
  const { chainId, token } = governor;
  const files = [`logs/${chainId}-${token}.ndjson`, chainRecordFile(chainId, spaceId)];
  return files.some((file) => existsSync(join(directory, file)));
}

/** Increase this when the code starts to read the same files differently. */
const READING = 1;

/** A file changed this recently may change again within a tick of the file system's clock and look the same. */
const SETTLED_AFTER_MS = 2_000;

function filesOf(directory: string, spaceId: string): readonly string[] {
  const files = [`spaces/${spaceId}.json`, `proposals/${spaceId}.ndjson`, `votes/${spaceId}.ndjson`];
  const lists = `delegates/${spaceId}`;
  return [...files, ...namesIn(join(directory, lists)).map((name) => `${lists}/${name}`)];
}

/**
 * A hash that identifies the state of a DAO's files without reading them. `undefined` if there are no files,
 * if one was changed just now, and for a DAO on a chain, whose records have other file names.
 */
function archivedState(directory: string, dao: TrackedDao, nowMs: number): string | undefined {
  if (dao.governor !== undefined) return undefined;
  const hash = createHash("sha256").update(`${READING} ${dao.spaceId}\n`);
  let count = 0;
  for (const file of filesOf(directory, dao.spaceId).toSorted()) {
    const stat = statSync(join(directory, file), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) continue;
    const changedMs = Math.max(Number(stat.mtimeMs), Number(stat.ctimeMs));
    if (changedMs > nowMs - SETTLED_AFTER_MS) return undefined;
    // One of these changes when a file is written, replaced or restored; ctime cannot be set by hand.
    const { dev, ino, size, mtimeNs, ctimeNs } = stat;
    hash.update(`${[file, dev, ino, size, mtimeNs, ctimeNs].join(" ")}\n`);
    count += 1;
  }
  return count === 0 ? undefined : hash.digest("hex");
}

/**
 * Replays a folder of upstream objects (fixtures/README.md shows its layout). A missing file means that there
 * is no such data; a DAO without any file fails. Paths are built from the registry's ids only, never from
 * file contents.
 */
export function createArchiveSource({ directory }: { readonly directory: string }): GovernanceSource {
  return {
    sourceId: "archive",
    stateOf: (dao, nowMs) => archivedState(directory, dao, nowMs),
    async fetchSpace(dao, sink) {
      const { spaceId, governor } = dao;
      const reading = { directory, sink };
      const hasSpace = await fetchSpaceObject(reading, spaceId);
      const proposals = await fetchProposals(reading, spaceId);
      const hasVotes = await fetchVotes(reading, spaceId, proposals ?? new Map());
      const hasLists = await fetchDelegateLists(reading, spaceId);
      // The token's log file has the same events as a recorded chain; reading both would count them twice.
      const hasChain =
        governor !== undefined &&
        ((await fetchLogs(reading, governor)) || (await fetchChain(reading, dao, governor)));
      if (hasSpace || proposals !== undefined || hasVotes || hasLists || hasChain) return;
      throw sourceFailed(`the archive holds nothing for ${spaceId}`, {
        hint: "Its files are spaces/<space_id>.json, proposals/<space_id>.ndjson and so on (fixtures/README.md).",
      });
    },
  };
}

/** Replays `chains/<chain_id>/<space_id>.ndjson` through the code that queries a node. Returns whether it exists. */
async function fetchChain(
  { directory, sink }: ArchiveReading,
  dao: TrackedDao,
  { chainId }: GovernorToken,
): Promise<boolean> {
  const record = await openChainRecord(directory, chainRecordFile(chainId, dao.spaceId));
  if (record === undefined) return false;
  try {
    const source = createGovernorSource({ rpcOf: () => record.rpc });
    await source.fetchSpace(dao, createFreshSink(sink));
    return true;
  } finally {
    record.close();
  }
}

/** A sink for a fetch that starts from nothing and never resumes: nothing is held, and events to keep are put too. */
function createFreshSink(sink: SpaceSink): SpaceSink & { readonly memory: FetchMemory } {
  const delegations = new Map<string, ReturnType<typeof createFreshDelegation>>();
  const delegationOf = (token: string) => {
    const delegation = delegations.get(token) ?? createFreshDelegation();
    delegations.set(token, delegation);
    return delegation;
  };
  const memory: FetchMemory = {
    heldProposals: () => [],
    keepProposal: () => invariant(false, "a fresh fetch holds no proposals"),
    keepVotes: () => invariant(false, "a fresh fetch holds no votes"),
    note: () => undefined,
    putNote: () => undefined,
    checkpoint({ voters }) {
      // Number the voters in the same order as when the same pages came from a node.
      for (const voter of voters) sink.internVoter(voter);
    },
    resumedPage: () => undefined,
    forgetPages: () => undefined,
    delegationOf,
  };
  return {
    ...sink,
    memory,
    put(record) {
      if (record.kind !== "delegation-events" || record.through === undefined) return sink.put(record);
      const { through: _, ...events } = record;
      delegationOf(events.token).add(events.events);
      sink.put(events);
    },
  };
}

function createFreshDelegation() {
  const changes: { readonly blockNumber: number; readonly delegate: string; readonly after: bigint }[] = [];
  // Each address is stored once: a large token has millions of events.
  const addresses = new Map<string, string>();
  return {
    // Both are asked for at the start only.
    heldThrough: () => [],
    rewind: () => undefined,
    add(events: readonly DelegationEvent[]): void {
      for (const event of events) {
        if (event.kind !== "votes-changed") continue;
        const { blockNumber, after } = event;
        const delegate = addresses.get(event.delegate) ?? event.delegate;
        addresses.set(delegate, delegate);
        changes.push({ blockNumber, delegate, after });
      }
    },
    powersAt(blockNumber: number): ReadonlyMap<string, bigint> {
      const powers = new Map<string, bigint>();
      for (const change of changes) {
        if (change.blockNumber <= blockNumber) powers.set(change.delegate, change.after);
      }
      return powers;
    },
  };
}
