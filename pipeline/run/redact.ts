import { setTimeout as pause } from "node:timers/promises";
import { type RedactResult, redactSnapshot } from "../../snapshots/store/redact-snapshot.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { RunEffects } from "./effects.ts";
import { readRegistry } from "./home.ts";
import { LOST_LIST_HINT, readLiveOptOuts } from "./live-opt-outs.ts";
import type { Settings } from "./settings.ts";
import { signerOf } from "./signing-key.ts";
import { withStore } from "./store-errors.ts";
import { whileLocked } from "./while-locked.ts";

/** What to do, and how long to wait for readers between moving the pointer and deleting what they read before. */
export interface RedactOptions {
  readonly isDryRun: boolean;
  readonly readersFollowMs: number;
  /** As given: public keys of which one may have signed before, beside the home's own. */
  readonly publicKeys: string | undefined;
}

/**
 * `govdata redact`: takes everybody who opted out, in the registry or on the live list, out of every kept version.
 * Throws `PipelineError` HOME_INVALID where the list cannot be asked: nobody may be named then, but what is deleted for
 * that would not come back.
 */
export async function runRedact(
  settings: Settings,
  { isDryRun, readersFollowMs, publicKeys }: RedactOptions,
  effects: Pick<RunEffects, "runId">,
): Promise<RedactResult> {
  const live = readLiveOptOuts(settings);
  if (live.problem !== undefined) {
    throw new PipelineError("HOME_INVALID", live.problem.message, {
      cause: live.problem,
      hint: LOST_LIST_HINT,
    });
  }
  const known = readRegistry(settings).entities.filter(
    ({ entityId, isOptedOut }) => isOptedOut || live.list.has(entityId),
  );
  return whileLocked(settings, (disk) =>
    withStore(() =>
      redactSnapshot(disk, {
        runId: effects.runId,
        isHidden: live.list.has,
        known,
        isDryRun,
        signer: signerOf(settings, publicKeys),
        whileReadersFollow: () => pause(readersFollowMs),
      }),
    ),
  );
}
