import { setTimeout as pause } from "node:timers/promises";
import { type RedactResult, redactSnapshot } from "../../snapshots/store/maintain/redact-snapshot.ts";
import { whileLocked } from "../home/lock.ts";
import { surelyOptedOut } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { signerOf } from "../home/signing-key.ts";

/** What to do, and how long to wait for readers between moving the pointer and deleting what they read before. */
export interface RedactOptions {
  readonly isDryRun: boolean;
  readonly readersFollowMs: number;
  /** As given: public keys of which one may have signed before, beside the home's own. */
  readonly publicKeys: string | undefined;
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
  const { known, isHidden } = surelyOptedOut(settings);
  return whileLocked(settings, (disk) =>
    redactSnapshot(disk, {
      runId: effects.runId,
      isHidden,
      known,
      isDryRun,
      signer: signerOf(settings, publicKeys),
      whileReadersFollow: () => pause(readersFollowMs),
    }),
  );
}
