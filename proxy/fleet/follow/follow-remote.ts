import { setMaxListeners } from "node:events";
import { identifyFile } from "../../../snapshots/format/documents.ts";
import type { Pointer } from "../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import { openRemote } from "../../../snapshots/remote/open-remote.ts";
import { pullVersion } from "../../../snapshots/remote/pull-version.ts";
import { readNewPointer } from "../../../snapshots/remote/remote-pointer.ts";
import type { TrustedKey } from "../../../snapshots/store/read/manifest-signature.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { readable } from "../../../snapshots/store/read/snapshot-error.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { openSequenceMemory } from "../../snapshot/sequence-memory.ts";
import type { RemoteProblem } from "../../snapshot/snapshot-source.ts";
import { createFollower, type FollowerEvent } from "./follower.ts";
import { type CareEvent, createCopyKeeper, keepRoom, ROOM_KEPT_BYTES } from "./keep-copy.ts";

export type RemoteEvent = FollowerEvent | CareEvent;

/** A damaged copy cannot be pulled again now, and is better than none. */
const OUT_OF_REACH: readonly (RemoteProblem | undefined)[] = [
  "REMOTE_AWAY",
  "REMOTE_REFUSED",
  "REMOTE_MISSING",
];

/** Opens the remote storage and prepares to follow it; throws `RemoteFailure` if the address cannot be used. */
export async function followRemote(
  paths: {
    readonly address: string;
    /** The folder of the copy. */
    readonly root: string;
    /** The proxy's home, which stores the highest sequence served. */
    readonly home: string;
    readonly trustedKeys: readonly TrustedKey[] | undefined;
    /** The lowest sequence to accept if nothing was served yet. */
    readonly sequenceMin: number;
    /** Bytes that must stay free on the disk of the copy. */
    readonly roomKeptBytes?: number;
  },
  world: {
    /** Environment variables for the client: region, endpoint, credentials. */
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly nowMs: () => number;
    /** Waits until the next check, or until the signal aborts; never rejects. */
    readonly rest: (signal: AbortSignal) => Promise<void>;
    readonly onEvent: (event: RemoteEvent) => void;
  },
  /** Ends the loop, and a pull in progress. */
  until: AbortSignal,
) {
  const { root, trustedKeys, sequenceMin } = paths;
  const { environment, nowMs, onEvent } = world;
  const remote = await openRemote(paths.address, { environment, nowMs });
  const disk = createSnapshotDisk(root);
  // Read each time, since a server with this home writes it.
  const highest = () => openSequenceMemory(paths.home, paths).highest();
  const keeper = createCopyKeeper({ disk, trustedKeys, highest, nowMs });
  let pulled: string | undefined;
  const follower = createFollower({
    look: (knownEtag) => readNewPointer(remote, knownEtag, until),
    pull: (allowsRollback) =>
      pullVersion({
        reader: remote,
        disk: keepRoom(disk, paths.roomKeptBytes ?? ROOM_KEPT_BYTES),
        sequenceMin: allowsRollback ? sequenceMin : highest(),
        trustedKeys,
        allowsRollback,
        wanted: isServed,
        signal: until,
      }),
    here: () => readable((): Pointer => readPointer(root)),
    highest,
    isUnsigned: trustedKeys === undefined,
    sequenceMin,
    nowMs,
    onEvent: (event) => {
      // Work aborted at the end is not reported.
      if (until.aborted) return;
      if (event.kind === "pulled") pulled = event.version;
      onEvent(event);
    },
  });

  return {
    /** The address in a form that is safe to log. */
    name: remote.name,
    status: follower.status,
    run: async (): Promise<void> => {
      // Each transfer adds a listener; without this Node would warn of a leak.
      setMaxListeners(0, until);
      try {
        await disk.makeRoot();
        while (!until.aborted) {
          pulled = undefined;
          await follower.step();
          const event = await keeper.care(pulled, !OUT_OF_REACH.includes(follower.status().problem));
          if (event !== undefined) onEvent(event);
          await world.rest(until);
        }
      } finally {
        keeper.close();
        remote.close();
      }
    },
  };
}

/** Whether this program reads a file of a version, besides its manifest: the index and the dated listings. */
function isServed(path: string): boolean {
  return path === PATHS.index || identifyFile(path)?.kind === "delegateMonth";
}
