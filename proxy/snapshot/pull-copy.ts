import { identifyFile } from "../../snapshots/format/documents.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { openRemote } from "../../snapshots/remote/open-remote.ts";
import type { PullResult } from "../../snapshots/remote/pull-version.ts";
import { pullVersion } from "../../snapshots/remote/pull-version.ts";
import { parseTrustedKeys } from "../../snapshots/store/read/manifest-signature.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { keepRoom } from "./keep-room.ts";

/** Settings of the client, as the environment of a process gives them: region, endpoint, credentials. */
export type RemoteEnvironment = Readonly<Record<string, string | undefined>>;

/** What is to be pulled, in words that can be handed to a thread. */
export interface PullTask {
  readonly address: string;
  /** The folder of the copy here. */
  readonly root: string;
  readonly sequenceMin: number;
  readonly trustedKeys: readonly string[] | undefined;
  /** What must stay free on the disk of the copy. */
  readonly roomKeptBytes: number;
}

/** What this program reads of a version beside its manifest: the index, and the listings of days that lie beside it. */
export function isServed(path: string): boolean {
  return path === PATHS.index || identifyFile(path)?.kind === "datedListing";
}

/** Pulls the version that the remote pointer names, once, as far as this program serves it. */
export async function pullCopy(
  task: PullTask,
  environment: RemoteEnvironment,
  signal: AbortSignal,
): Promise<PullResult> {
  const reader = await openRemote(task.address, { environment });
  const room = keepRoom(createSnapshotDisk(task.root), task.roomKeptBytes);
  try {
    return await pullVersion({
      reader,
      disk: room.disk,
      sequenceMin: task.sequenceMin,
      trustedKeys: task.trustedKeys && (parseTrustedKeys(task.trustedKeys.join(",")) ?? []),
      wanted: isServed,
      signal,
    });
  } catch (error) {
    throw room.shortage() ?? error;
  } finally {
    reader.close();
  }
}
