import { openRemote } from "../../snapshots/remote/open-remote.ts";
import { pullVersion } from "../../snapshots/remote/pull-version.ts";
import { readPointer } from "../../snapshots/store/read-pointer.ts";
import { SnapshotError } from "../../snapshots/store/snapshot-error.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { RunEffects } from "./effects.ts";
import { withRemote } from "./remote-errors.ts";
import type { Settings } from "./settings.ts";
import { trustedKeysOf } from "./signing-key.ts";
import { tellTransfer } from "./tell-transfer.ts";
import { whileLocked } from "./while-locked.ts";

/** From where to pull, and whom to believe. */
export interface PullOptions {
  readonly from: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As given: public keys of which one must have signed; `undefined` asks for no signature. */
  readonly publicKeys: string | undefined;
  readonly allowsRollback: boolean;
}

/** What a pull came to. */
export interface PullReport {
  readonly from: string;
  readonly kind: "pulled" | "unchanged";
  readonly version: string;
  readonly sequence: number;
  readonly files: number;
  readonly bytes: number;
  readonly linked: number;
  readonly kept: number;
}

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
): Promise<PullReport> {
  const trustedKeys = publicKeys === undefined ? undefined : trustedKeysOf(publicKeys);
  const reader = await withRemote(() => openRemote(from, { environment }));
  try {
    return await whileLocked(settings, (disk) =>
      withRemote(async () => {
        const told = tellTransfer(progress, "pull", reader.name);
        const { onProgress } = told;
        const pulled = await pullVersion({ reader, disk, trustedKeys, allowsRollback, onProgress });
        told.end();
        const { version, sequence } = readPointer(settings.snapshotsDirectory);
        const { files, bytes, linked, kept } =
          pulled.kind === "pulled" ? pulled : { files: 0, bytes: 0, linked: 0, kept: 0 };
        return { from: reader.name, kind: pulled.kind, version, sequence, files, bytes, linked, kept };
      }),
    );
  } catch (error) {
    throw withHint(error);
  } finally {
    reader.close();
  }
}
