import type { Pointer } from "../../snapshots/format/manifest.ts";
import { openRemote } from "../../snapshots/remote/open-remote.ts";
import { readNewPointer } from "../../snapshots/remote/remote-pointer.ts";
import type { TrustedKey } from "../../snapshots/store/read/manifest-signature.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { createTurns, type Rest } from "./create-turns.ts";
import { type CopyGivingUp, createCopyGivingUp } from "./give-up-copy.ts";
import { inspectInThread } from "./inspect-in-thread.ts";
import { ROOM_KEPT_BYTES } from "./keep-room.ts";
import type { RemoteEnvironment } from "./pull-copy.ts";
import { pullInThread } from "./pull-in-thread.ts";
import {
  createRemoteFollower,
  type RemoteEvent as FollowerEvent,
  type RemoteStatus,
} from "./remote-follower.ts";
import { openSequenceMemory } from "./sequence-memory.ts";
import type { PublishedVersions } from "./snapshot-source.ts";
import { createCopyTidier } from "./tidy-copies.ts";

/** Where versions come from, and where their copy is kept. */
export interface RemotePlaces {
  readonly address: string;
  /** The folder of the copy. */
  readonly root: string;
  /** The proxy's home, which remembers the highest sequence that was served. */
  readonly home: string;
  readonly trustedKeys: readonly TrustedKey[] | undefined;
}

/** What is under way is given so long to end. */
const STOP_MOST_MS = 2_000;

/** What happened, for the log. */
export type RemoteEvent =
  | FollowerEvent
  | { readonly kind: "tidied"; readonly versions: readonly string[] }
  | { readonly kind: "given up" };

/** What the world gives to a follower. */
export interface RemoteWorld {
  readonly environment: RemoteEnvironment;
  readonly nowMs: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly rest: Rest;
  readonly onEvent: (event: RemoteEvent) => void;
}

/** A copy that follows what is published elsewhere. */
export interface FollowedRemote {
  /** The address in words fit for a log. */
  readonly name: string;
  /** The copy, as the source of what is served. */
  readonly versions: PublishedVersions;
  /** Begins to follow. Where there is no copy yet, comes back when there is, at the latest after `waitMostMs`. */
  readonly start: (waitMostMs: number) => Promise<void>;
  /** Ends it, a pull under way included. */
  readonly stop: () => Promise<void>;
}

/** The pointer of the copy; nothing where there is none that can be read. */
function pointerIn(root: string): Pointer | undefined {
  try {
    return readPointer(root);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}

/** A copy that cannot be had again is not given up, whatever is wrong with it. */
function isOutOfReach({ problem }: RemoteStatus): boolean {
  return problem === "REMOTE_AWAY" || problem === "REMOTE_REFUSED" || problem === "REMOTE_MISSING";
}

/** Knows which versions are open, until their last reader is closed. */
function noteOpen(): {
  readonly open: () => readonly SnapshotReader[];
  readonly note: (reader: SnapshotReader) => SnapshotReader;
} {
  const readers = new Set<SnapshotReader>();
  return {
    open: () => [...readers],
    note: (reader) => {
      const noted = {
        ...reader,
        close: () => {
          readers.delete(noted);
          reader.close();
        },
      };
      readers.add(noted);
      return noted;
    },
  };
}

/** The copy as the source of what is served; a copy that cannot be opened is noted. */
function copiedVersions(
  { root, trustedKeys }: RemotePlaces,
  readers: ReturnType<typeof noteOpen>,
  damaged: CopyGivingUp,
): PublishedVersions {
  return {
    readPointer: () => {
      try {
        return readPointer(root);
      } catch (error) {
        // Where none is, none was pulled yet.
        if (error instanceof SnapshotError && error.code !== "SNAPSHOT_MISSING") damaged.note(error);
        throw error;
      }
    },
    open: async (sequenceMin) => {
      try {
        const reader = await openSnapshot(root, { sequenceMin, trustedKeys }, inspectInThread);
        damaged.note(undefined);
        return readers.note(reader);
      } catch (error) {
        damaged.note(error);
        throw error;
      }
    },
  };
}

/** Opens the remote place and puts together what follows it; throws `RemoteError` where the address cannot be used. */
export async function followRemote(places: RemotePlaces, world: RemoteWorld): Promise<FollowedRemote> {
  const { address, root, trustedKeys } = places;
  const { environment, nowMs, random, rest, onEvent } = world;
  const remote = await openRemote(address, { environment, nowMs });
  const disk = createSnapshotDisk(root);
  const readers = noteOpen();
  const tidy = createCopyTidier({ disk, open: readers.open, nowMs });
  const damaged = createCopyGivingUp(disk, nowMs);
  const turns = createTurns(async () => {
    const waitMs = await follower.step();
    const versions = await tidy();
    if (versions.length > 0) onEvent({ kind: "tidied", versions });
    // While something is served, a refused copy may be the publisher's fault, which no other copy would mend.
    const isServing = readers.open().length > 0;
    if (!isServing && !isOutOfReach(follower.status()) && (await damaged.giveUp()))
      onEvent({ kind: "given up" });
    return waitMs;
  }, rest);
  const highest = () => openSequenceMemory(places.home).highest();
  const follower = createRemoteFollower({
    look: (knownEtag) => readNewPointer(remote, knownEtag, turns.signal),
    pull: () =>
      pullInThread(
        {
          address,
          root,
          sequenceMin: highest(),
          trustedKeys: trustedKeys?.map(({ text }) => text),
          roomKeptBytes: ROOM_KEPT_BYTES,
        },
        environment,
        turns.signal,
      ),
    here: () => pointerIn(root),
    highest,
    nowMs,
    random,
    // What is given up at the end is no event.
    onEvent: (event) => turns.signal.aborted || onEvent(event),
  });
  const isSettled = () => pointerIn(root) !== undefined || follower.status().problem !== undefined;
  return {
    name: remote.name,
    versions: { ...copiedVersions(places, readers, damaged), remote: follower.status },
    start: async (waitMostMs) => {
      await disk.makeRoot();
      await turns.start(isSettled, waitMostMs);
    },
    stop: async () => {
      await turns.stop(STOP_MOST_MS);
      remote.close();
    },
  };
}
