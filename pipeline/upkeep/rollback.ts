import { timestampOf } from "../../snapshots/format/ids.ts";
import { rollbackVersion } from "../../snapshots/store/maintain/rollback-version.ts";
import { readVersion } from "../../snapshots/store/read/read-documents.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { PipelineError } from "../facts/errors.ts";
import { checkPrivacy } from "../gate/check-privacy.ts";
import { chooseVersion } from "../home/choose-version.ts";
import { readRegistry } from "../home/home.ts";
import { whileLocked } from "../home/lock.ts";
import { type LiveOptOuts, LOST_LIST_HINT, readLiveOptOuts, withLiveOptOuts } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { signerOf } from "../home/signing-key.ts";

/** What to go back to. */
export interface RollbackOptions {
  /** A name, or `previous`. */
  readonly version: string;
  readonly allowsClock: boolean;
  /** Also signs a version that has no signature. */
  readonly allowsUnsigned: boolean;
  /** As given: public keys of which one may have signed it, beside the home's own. */
  readonly publicKeys: string | undefined;
}

/** An old version may name who has opted out since; nobody comes back by way of it. */
function assertNobodyReturns(settings: Settings, live: LiveOptOuts, version: string): void {
  const { set } = readVersion(settings.snapshotsDirectory, version);
  if (live.problem !== undefined && set.entities.length > 0) {
    throw new PipelineError("GATE_REFUSED", `nobody may be named now: ${live.problem.message}`, {
      cause: live.problem,
      hint: LOST_LIST_HINT,
    });
  }
  const { entities } = withLiveOptOuts(readRegistry(settings), live);
  const optedOut = entities.filter((entity) => entity.isOptedOut);
  const whole = { ...set, listings: set.listings.map((listing) => ({ ...listing, all: [] })) };
  const isNamed =
    checkPrivacy(whole, optedOut).length > 0 ||
    set.entities.some(({ entity_id: entityId }) => live.list.has(entityId));
  if (!isNamed) return;
  throw new PipelineError("GATE_REFUSED", `version ${version} names an entity that has opted out since`, {
    hint: "`govdata redact` writes the kept versions anew without it; then go back to the one that replaces this.",
  });
}

/** Names and ages of versions come from the clock, so one that went back must be looked at first. */
function assertClock(settings: Settings, nowMs: number, allowsClock: boolean): void {
  const { published_at: madeAt } = readPointer(settings.snapshotsDirectory);
  if (allowsClock || nowMs >= Date.parse(madeAt)) return;
  const message = `the clock says ${timestampOf(nowMs)}, but the current version was made at ${madeAt}`;
  throw new PipelineError("GATE_REFUSED", message, { hint: "If this is right: --allow clock" });
}

/** `govdata rollback`: publishes the content of a kept version again, as a new version that every reader accepts. */
export async function runRollback(
  settings: Settings,
  { version: wished, allowsClock, allowsUnsigned, publicKeys }: RollbackOptions,
  effects: RunEffects,
) {
  return whileLocked(settings, async (disk) => {
    const live = readLiveOptOuts(settings);
    const { version } = await chooseVersion(settings, { version: wished });
    assertNobodyReturns(settings, live, version);
    const createdAtMs = effects.nowMs();
    assertClock(settings, createdAtMs, allowsClock);
    const signer = signerOf(settings, publicKeys);
    const { runId } = effects;
    const published = await rollbackVersion({ version, createdAtMs, runId, allowsUnsigned, ...signer }, disk);
    for (const warning of published.warnings) effects.progress.warn(warning);
    return {
      version: published.version,
      sequence: published.sequence,
      asOf: published.manifest.as_of,
      replaces: version,
      removed: published.removed,
    };
  });
}
