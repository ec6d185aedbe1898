import { setTimeout as pause } from "node:timers/promises";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { openHome } from "../home.ts";
import type { Log } from "../observe/create-log.ts";
import { fileFailure } from "../operator-error.ts";
import type { Places, ServeSettings } from "../settings.ts";
import { followRemote, type RemoteEvent } from "../snapshot/follow-remote.ts";
import { inspectInThread } from "../snapshot/inspect-in-thread.ts";
import type { PublishedVersions } from "../snapshot/snapshot-source.ts";
import type { CommandWorld } from "./command-world.ts";

/** What `serve` serves from. */
export interface ServedVersions {
  readonly versions: PublishedVersions;
  /** Begins to follow what is published elsewhere; false where the program was told to stop meanwhile. */
  readonly start: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** A proxy without a copy waits so long for its first version before it listens, and answers 503 from then on. */
const FIRST_PULL_MS = 30_000;

const TOLD: Readonly<Record<RemoteEvent["kind"], { level: "info" | "warn"; words: string }>> = {
  pulled: { level: "info", words: "version copied from the remote address" },
  "not followed": { level: "warn", words: "the copy may not be what is published at the remote address" },
  "followed again": { level: "info", words: "the copy is what is published at the remote address again" },
  tidied: { level: "info", words: "old copies deleted" },
  "given up": { level: "warn", words: "the copy was damaged and is pulled anew" },
};

/** The versions in a folder, or in the copy of what is published elsewhere. */
export async function openServedVersions(
  places: Places,
  { trustedKeys }: Pick<ServeSettings, "trustedKeys">,
  { nowMs, randomBytes, environment, onStopSignal }: CommandWorld,
  log: Log,
): Promise<ServedVersions> {
  const { remote: address, snapshots: root, home } = places;
  if (address === undefined) {
    return {
      versions: {
        readPointer: () => readPointer(root),
        open: (sequenceMin) => openSnapshot(root, { sequenceMin, trustedKeys }, inspectInThread),
      },
      start: async () => true,
      stop: async () => {},
    };
  }
  openHome(home);
  const followed = await followRemote(
    { address, root, home, trustedKeys },
    {
      environment,
      nowMs,
      rest: (waitMs, signal) => pause(waitMs, undefined, { signal }).catch(() => {}),
      random: () => (randomBytes(1)[0] ?? 0) / 256,
      onEvent: (event) => {
        const { level, words } = TOLD[event.kind];
        log[level]({ remote: followed.name, ...event }, words);
      },
    },
  );
  return {
    versions: followed.versions,
    start: async () => {
      let forget = () => {};
      const told = new Promise<false>((resolve) => {
        forget = onStopSignal(() => resolve(false));
      });
      try {
        return await Promise.race([followed.start(FIRST_PULL_MS).then(() => true), told]);
      } catch (error) {
        throw fileFailure(error, "The copy in the home");
      } finally {
        forget();
      }
    },
    stop: followed.stop,
  };
}
