import { removeNaming } from "../../snapshots/remote/push-version.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { PipelineError } from "../facts/errors.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { hiddenEntities } from "./redact.ts";
import { assertDestination, type Destination, type PushReport, runPush, withWriter } from "./transfer.ts";

/** What `--to` came to after a version was published here: carried there, or why not. */
export type Uploaded =
  | (PushReport & {
      /** Versions deleted there, as they name somebody who opted out. */
      readonly removed: readonly string[];
    })
  | { readonly to: string; readonly kind: "failed"; readonly code: string; readonly message: string };

/** What a command did, and what `--to` came to where it was given. */
export type WithUpload<Result> = Result & { readonly uploaded?: Uploaded };

/** Which command finishes what was cut: a push alone deletes nobody. */
type Finishing = "push" | "redact --to";

/** A version that stands here and not there is no failed run: what is said is what to do about it. */
async function orFailed(
  settings: Settings,
  { to }: Destination,
  { progress }: Pick<RunEffects, "progress">,
  finishing: Finishing,
  upload: () => Promise<Uploaded>,
): Promise<Uploaded> {
  try {
    return await upload();
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    const { version } = readPointer(settings.snapshotsDirectory);
    const isRedaction = finishing === "redact --to";
    const what = isRedaction ? "redacted here, not wholly at" : `published here as ${version}, not at`;
    progress.warn(`${what} ${to}: ${error.message}`, error);
    if (error.hint !== undefined) progress.warn(error.hint);
    progress.warn(`to ${isRedaction ? "finish" : "carry it"} there: \`govdata ${finishing} ${to}\``);
    return { to, kind: "failed", code: error.code, message: error.message };
  }
}

/**
 * Does what publishes, then carries it to `destination` where there is one: its address is looked at before, so that a
 * slip of the hand is not found after the work. What fails on the way is told, and leaves what was published.
 */
export async function publishedAt<Result extends object>(
  settings: Settings,
  destination: Destination | undefined,
  effects: Pick<RunEffects, "progress">,
  publish: () => Promise<Result>,
): Promise<WithUpload<Result>> {
  if (destination === undefined) return publish();
  await assertDestination(destination);
  const result = await publish();
  const uploaded = await orFailed(settings, destination, effects, "push", async () => ({
    ...(await runPush(settings, destination, effects)),
    removed: [],
  }));
  return { ...result, uploaded };
}

/** The same for a redaction: when the pointer there has moved, every version there that names somebody goes too. */
export async function redactedAt<Result extends object>(
  settings: Settings,
  destination: Destination | undefined,
  effects: Pick<RunEffects, "progress">,
  redact: () => Promise<Result>,
): Promise<WithUpload<Result>> {
  if (destination === undefined) return redact();
  await assertDestination(destination);
  const result = await redact();
  const uploaded = await orFailed(settings, destination, effects, "redact --to", async () => {
    const pushed = await runPush(settings, destination, effects);
    const { isHidden } = hiddenEntities(settings);
    return { ...pushed, removed: await withWriter(destination, (writer) => removeNaming(writer, isHidden)) };
  });
  return { ...result, uploaded };
}
