import { openRemote, openRemoteWriter } from "../../snapshots/remote/open-remote.ts";
import { pullVersion } from "../../snapshots/remote/pull-version.ts";
import { pushVersion, removeNaming } from "../../snapshots/remote/push-version.ts";
import type { RemoteWriter, TransferProgress } from "../../snapshots/remote/remote-store.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import { PipelineError } from "../facts/errors.ts";
import { whileLocked } from "../home/lock.ts";
import { surelyOptedOut } from "../home/opt-outs.ts";
import type { Progress, RunEffects, Settings } from "../home/settings.ts";
import { trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";

/** From where to pull, and whom to believe. */
export interface PullOptions {
  readonly from: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As given: public keys of which one must have signed; `undefined` asks for no signature. */
  readonly publicKeys: string | undefined;
  readonly allowsRollback: boolean;
}

/** What a pull came to. */
export type PullReport = Awaited<ReturnType<typeof runPull>>;

/** An older version there than here has another way out than one that was put back by hand. */
function withHint(error: unknown): unknown {
  const isOlder =
    error instanceof PipelineError &&
    error.cause instanceof SnapshotError &&
    error.cause.code === "SNAPSHOT_ROLLED_BACK";
  if (!isOlder) return error;
  const hint = "What is there is older than what is here. If that is right: --allow rollback";
  return new PipelineError(error.code, error.message, { hint, cause: error.cause });
}

/** `govdata pull`: brings the version that a remote place names under the snapshot root, whole or not at all. */
export async function runPull(
  settings: Settings,
  { from, environment, publicKeys, allowsRollback }: PullOptions,
  { progress }: Pick<RunEffects, "progress">,
) {
  const trustedKeys = publicKeys === undefined ? undefined : trustedKeysOf(publicKeys);
  const reader = await withStore(() => openRemote(from, { environment }));
  try {
    return await whileLocked(settings, async (disk) => {
      const { onProgress, end } = tellTransfer(progress, "pull", reader.name);
      const pulled = await pullVersion({ reader, disk, trustedKeys, allowsRollback, onProgress });
      end();
      const { version, sequence } = readPointer(settings.snapshotsDirectory);
      const { files, bytes, linked, kept } =
        pulled.kind === "pulled" ? pulled : { files: 0, bytes: 0, linked: 0, kept: 0 };
      return { from: reader.name, kind: pulled.kind, version, sequence, files, bytes, linked, kept };
    });
  } catch (error) {
    throw withHint(error);
  } finally {
    reader.close();
  }
}

/** Where to push to, and the process's variables: credentials come from there and from no option. */
export interface Destination {
  readonly to: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a push came to. */
export type PushReport = Awaited<ReturnType<typeof runPush>>;

/** `govdata push`: carries the current version to object storage. No run publishes or redacts here meanwhile. */
export async function runPush(
  settings: Settings,
  destination: Destination,
  { progress }: Pick<RunEffects, "progress">,
) {
  return whileLocked(settings, () =>
    withWriter(destination, async (writer) => {
      const { onProgress, end } = tellTransfer(progress, "push", writer.name);
      const warn = (message: string) => progress.warn(message);
      const result = await pushVersion({ root: settings.snapshotsDirectory, writer, warn, onProgress });
      end();
      return { to: writer.name, ...result };
    }),
  );
}

/** Runs what writes to a destination and lets its connections go; throws `PipelineError` BAD_OPTION before anything is asked. */
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

/** Tells how a version gets on over a network: now and then to whoever is looking, and once at its end. */
function tellTransfer(progress: Progress, stage: "push" | "pull", name: string) {
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

/** What `--to` came to after a version was published here: carried there, or why not. */
export type Uploaded =
  | (PushReport & {
      /** Versions deleted there, as they name somebody who opted out. */
      readonly removed: readonly string[];
    })
  | { readonly to: string; readonly kind: "failed"; readonly code: string; readonly message: string };

/**
 * Does what publishes, then carries it to `destination` where there is one: its address is looked at before, so that a
 * slip of the hand is not found after the work. After a redaction every version there that names somebody goes too, when
 * the pointer there has moved. What fails on the way is told, and leaves what was published: it is no failed run.
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
    const { isHidden } = kind === "redact" ? surelyOptedOut(settings) : { isHidden: undefined };
    const removed = isHidden ? await withWriter(destination, (writer) => removeNaming(writer, isHidden)) : [];
    return { ...result, uploaded: { ...pushed, removed } };
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    const { code, message, hint } = error;
    const { to } = destination;
    const { version } = readPointer(settings.snapshotsDirectory);
    // A push alone deletes nobody.
    const [what, finishing] =
      kind === "redact"
        ? [`redacted here, not wholly at ${to}`, `to finish there: \`govdata redact --to ${to}\``]
        : [`published here as ${version}, not at ${to}`, `to carry it there: \`govdata push ${to}\``];
    effects.progress.warn(`${what}: ${message}`, error);
    for (const line of [hint ?? [], finishing].flat()) effects.progress.warn(line);
    return { ...result, uploaded: { to, kind: "failed", code, message } };
  }
}
