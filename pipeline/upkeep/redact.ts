import { setTimeout as pause } from "node:timers/promises";
import { type RedactResult, redactSnapshot } from "../../snapshots/store/maintain/redact-snapshot.ts";
import { PipelineError } from "../facts/errors.ts";
import type { TrackedEntity } from "../facts/tracked.ts";
import { readRegistry } from "../home/home.ts";
import { whileLocked } from "../home/lock.ts";
import { type LiveOptOuts, LOST_LIST_HINT, readLiveOptOuts } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { signerOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";

/** What to do, and how long to wait for readers between moving the pointer and deleting what they read before. */
export interface RedactOptions {
  readonly isDryRun: boolean;
  readonly readersFollowMs: number;
  /** As given: public keys of which one may have signed before, beside the home's own. */
  readonly publicKeys: string | undefined;
}

/**
 * Whom nobody may name: the live list, and what the registry says. Throws `PipelineError` HOME_INVALID where the list
 * cannot be asked: nobody may be named then, but what is deleted for that would not come back.
 */
export function hiddenEntities(settings: Settings): {
  readonly live: LiveOptOuts;
  readonly known: readonly TrackedEntity[];
  readonly isHidden: (entityId: string) => boolean;
} {
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
  const ids = new Set(known.map(({ entityId }) => entityId));
  return { live, known, isHidden: (entityId) => ids.has(entityId) || live.list.has(entityId) };
}

/**
 * `govdata redact`: takes everybody who opted out, in the registry or on the live list, out of every kept version.
 * Throws `PipelineError` HOME_INVALID where the list cannot be asked.
 */
export async function runRedact(
  settings: Settings,
  { isDryRun, readersFollowMs, publicKeys }: RedactOptions,
  effects: Pick<RunEffects, "runId">,
): Promise<RedactResult> {
  const { live, known } = hiddenEntities(settings);
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
