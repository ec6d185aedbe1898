import { openRemote, openRemoteWriter } from "../../snapshots/remote/open-remote.ts";
import { pullVersion } from "../../snapshots/remote/pull-version.ts";
import { pushVersion, removeNaming } from "../../snapshots/remote/push-version.ts";
import type { RemoteWriter, TransferProgress } from "../../snapshots/remote/remote-store.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import { whileLocked } from "../home/lock.ts";
import { requireOptedOut } from "../home/opt-outs.ts";
import type { Progress, RunEffects, Settings } from "../home/settings.ts";
import { trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";

interface PullOptions {
  readonly from: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As given: public keys of which one must have signed; `undefined` requires no signature. */
  readonly publicKeys: string | undefined;
  readonly allowsRollback: boolean;
}

export type PullReport = Awaited<ReturnType<typeof runPull>>;

/** `govdata pull`: copies a remote's current version into the snapshots, completely or not at all. */
export async function runPull(
  settings: Settings,
  { from, environment, publicKeys, allowsRollback }: PullOptions,
  { progress }: Pick<RunEffects, "progress">,
) {
  const trustedKeys = publicKeys === undefined ? undefined : trustedKeysOf(publicKeys);
  const reader = await withStore(() => openRemote(from, { environment }));
  try {
    return await whileLocked(settings, async (disk) => {
      const { onProgress, end } = transferProgress(progress, "pull", reader.name);
      const pulled = await pullVersion({ reader, disk, trustedKeys, allowsRollback, onProgress });
      end();
      return { from: reader.name, ...pulled };
    });
  } catch (error) {
    const isOlder =
      isPipelineFailure(error) &&
      isSnapshotFailure(error.cause) &&
      error.cause.code === "SNAPSHOT_ROLLED_BACK";
    if (!isOlder) throw error;
    // The store's hint is for a pointer that was set back by hand.
    const hint = "The remote version is older than the local one. If that is right: --allow rollback";
    throw pipelineFailure(error.code, error.message, { hint, cause: error.cause });
  } finally {
    reader.close();
  }
}

/** Where to push to, and the environment variables, the only source of credentials. */
interface Destination {
  readonly to: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type PushReport = Awaited<ReturnType<typeof runPush>>;

/** `govdata push`: copies the current version to object storage; no run can publish or redact here meanwhile. */
export async function runPush(
  settings: Settings,
  destination: Destination,
  { progress }: Pick<RunEffects, "progress">,
) {
  return whileLocked(settings, () =>
    withWriter(destination, async (writer) => {
      const { onProgress, end } = transferProgress(progress, "push", writer.name);
      const warn = (message: string) => progress.warn(message);
      const result = await pushVersion({ root: settings.snapshotsDirectory, writer, warn, onProgress });
      end();
      return { to: writer.name, ...result };
    }),
  );
}

/** Runs an action with a writer and closes it; throws `BAD_OPTION` before any request. */
function withWriter<Result>(
  { to, environment }: Destination,
  action: (writer: RemoteWriter) => Promise<Result>,
): Promise<Result> {
  return withStore(async () => {
    const writer = await openRemoteWriter(to, { environment });
    try {
      return await action(writer);
    } finally {
      writer.close();
    }
  });
}

function transferProgress(progress: Progress, stage: "push" | "pull", name: string) {
  let last: TransferProgress | undefined;
  return {
    onProgress(now: TransferProgress) {
      last = now;
      const { filesDone, filesTotal, bytesDone: bytes } = now;
      progress.tick(stage, `${filesDone}/${filesTotal} files`, { bytes });
    },
    end() {
      if (last === undefined) return;
      const { filesTotal: files, bytesTotal: bytes } = last;
      progress.step(stage, 1, 1, name, { files, bytes });
    },
  };
}

/** The result of `--to` after a local publish: the push, or why it failed. */
export type Uploaded =
  | (PushReport & {
      /** Versions deleted there because they name an entity that opted out. */
      readonly removed: readonly string[];
    })
  | { readonly to: string; readonly kind: "failed"; readonly code: string; readonly message: string };

/**
 * Runs a publish, then pushes to `destination` if there is one. The address is validated first, so that a
 * typo is not found after the work. After a redaction it also deletes remote versions that name opted-out
 * entities, once the remote pointer has moved. A failed push is logged; the local publish stays valid and the
 * command succeeds.
 */
export async function withUpload<Result extends object>(
  settings: Settings,
  destination: Destination | undefined,
  effects: Pick<RunEffects, "progress">,
  action: () => Promise<Result>,
  kind: "publish" | "redact" = "publish",
): Promise<Result & { readonly uploaded?: Uploaded }> {
  if (destination === undefined) return action();
  await withWriter(destination, async () => {});
  const result = await action();
  try {
    const pushed = await runPush(settings, destination, effects);
    const { isHidden } = kind === "redact" ? requireOptedOut(settings) : { isHidden: undefined };
    const removed = isHidden ? await withWriter(destination, (writer) => removeNaming(writer, isHidden)) : [];
    return { ...result, uploaded: { ...pushed, removed } };
  } catch (error) {
    if (!isPipelineFailure(error)) throw error;
    const { code, message, hint } = error;
    const { to } = destination;
    const { version } = readPointer(settings.snapshotsDirectory);
    // A push alone deletes nothing.
    const [what, finishing] =
      kind === "redact"
        ? [`redacted here, but not completely at ${to}`, `to finish there: \`govdata redact --to ${to}\``]
        : [`published here as ${version}, but not at ${to}`, `to push it there: \`govdata push ${to}\``];
    effects.progress.warn(`${what}: ${message}`, error);
    for (const line of [hint ?? [], finishing].flat()) effects.progress.warn(line);
    return { ...result, uploaded: { to, kind: "failed", code, message } };
  }
}
