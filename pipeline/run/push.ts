import { openRemoteWriter } from "../../snapshots/remote/open-remote.ts";
import { pushVersion } from "../../snapshots/remote/push-version.ts";
import type { RemoteWriter } from "../../snapshots/remote/remote-store.ts";
import type { RunEffects } from "./effects.ts";
import { withRemote } from "./remote-errors.ts";
import type { Settings } from "./settings.ts";
import { tellTransfer } from "./tell-transfer.ts";
import { whileLocked } from "./while-locked.ts";

/** Where to push to, and the process's variables: credentials come from there and from no option. */
export interface Destination {
  readonly to: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a push came to. */
export interface PushReport {
  readonly to: string;
  readonly kind: "pushed" | "unchanged";
  readonly version: string;
  readonly sequence: number;
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
}

/** Runs what writes to a destination and lets its connections go; throws `PipelineError` BAD_OPTION before anything is asked. */
export function withWriter<Result>(
  { to, environment }: Destination,
  action: (writer: RemoteWriter) => Promise<Result>,
): Promise<Result> {
  return withRemote(async () => {
    const writer = await openRemoteWriter(to, { environment });
    try {
      return await action(writer);
    } finally {
      writer.close();
    }
  });
}

/** Refuses a destination that cannot be written to, before the work that would be carried there; throws BAD_OPTION. */
export async function assertDestination(destination: Destination): Promise<void> {
  await withWriter(destination, async () => {});
}

/** `govdata push`: carries the current version to object storage. No run publishes or redacts here meanwhile. */
export async function runPush(
  settings: Settings,
  destination: Destination,
  { progress }: Pick<RunEffects, "progress">,
): Promise<PushReport> {
  return whileLocked(settings, () =>
    withWriter(destination, async (writer) => {
      const told = tellTransfer(progress, "push", writer.name);
      const result = await pushVersion({
        root: settings.snapshotsDirectory,
        writer,
        warn: (message) => progress.warn(message),
        onProgress: told.onProgress,
      });
      told.end();
      return { to: writer.name, ...result };
    }),
  );
}
