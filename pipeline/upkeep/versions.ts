import { documentsOfDaos, documentsOfLists } from "../../snapshots/format/documents.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { pruneVersions } from "../../snapshots/store/maintain/prune-versions.ts";
import { redactSnapshot } from "../../snapshots/store/maintain/redact-snapshot.ts";
import { repairPointer } from "../../snapshots/store/maintain/repair-pointer.ts";
import { rollbackVersion } from "../../snapshots/store/maintain/rollback-version.ts";
import { type VerifyOptions, verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readVersion } from "../../snapshots/store/read/read-documents.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { checkPrivacy } from "../gate/check-privacy.ts";
import { chooseVersion } from "../home/choose-version.ts";
import { whileLocked } from "../home/lock.ts";
import {
  type LiveOptOuts,
  LOST_LIST_HINT,
  readLiveOptOuts,
  requireOptedOut,
  withLiveOptOuts,
} from "../home/opt-outs.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { signerOf, trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";

export type PruneResult = Awaited<ReturnType<typeof runPrune>>;

/** `govdata prune`: deletes versions older than a limit, or lists them; never the current one. */
export async function runPrune(settings: Settings, options: Parameters<typeof pruneVersions>[1]) {
  return withStore(() => pruneVersions(createSnapshotDisk(settings.snapshotsDirectory), options));
}

interface BelievedKeys {
  /** As given: public keys accepted besides the home's own. */
  readonly publicKeys: string | undefined;
}

export type RepairOutcome = Awaited<ReturnType<typeof runRepair>>;

/** `govdata repair`: sets a lost, damaged or outdated pointer to the newest version, which it verifies deeply. */
export async function runRepair(
  settings: Settings,
  { allowsUnsigned, publicKeys }: BelievedKeys & { readonly allowsUnsigned: boolean },
  effects: Pick<RunEffects, "runId">,
) {
  return whileLocked(settings, async (disk) => {
    const trustedKeys = signerOf(settings, publicKeys)?.trustedKeys;
    const repaired = await repairPointer(disk, { runId: effects.runId, allowsUnsigned, trustedKeys });
    const { files, problems } = await verifySnapshot(disk.root, { deep: true });
    return { ...repaired, files, problems };
  });
}

/** `govdata verify`: lists every problem of a version by file; without public keys, no signature is required. */
export async function verifyPublished(
  { snapshotsDirectory }: Settings,
  { publicKeys, ...options }: Omit<VerifyOptions, "trustedKeys"> & BelievedKeys,
) {
  const trustedKeys = publicKeys === undefined ? undefined : trustedKeysOf(publicKeys);
  return verifySnapshot(snapshotsDirectory, { ...options, trustedKeys });
}

/** `govdata redact`: removes everybody opted out, in the registry or on the live list, from all kept versions. */
export async function runRedact(
  settings: Settings,
  {
    publicKeys,
    ...options
  }: BelievedKeys & Pick<Parameters<typeof redactSnapshot>[1], "isDryRun" | "whileReadersFollow">,
  effects: Pick<RunEffects, "runId">,
) {
  const { known, isHidden } = requireOptedOut(settings);
  return whileLocked(settings, (disk) =>
    redactSnapshot(disk, {
      ...options,
      runId: effects.runId,
      isHidden,
      known,
      signer: signerOf(settings, publicKeys),
    }),
  );
}

/** `govdata rollback`: publishes a kept version, or `previous`, again, as a new version that every reader accepts. */
export async function runRollback(
  settings: Settings,
  requested: string,
  {
    allowsClock,
    allowsUnsigned,
    publicKeys,
  }: BelievedKeys & { readonly allowsClock: boolean; readonly allowsUnsigned: boolean },
  effects: RunEffects,
) {
  return whileLocked(settings, async (disk) => {
    const live = readLiveOptOuts(settings);
    const { version } = await chooseVersion(settings, { version: requested });
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

function assertNobodyReturns(settings: Settings, live: LiveOptOuts, version: string): void {
  const { set } = readVersion(settings.snapshotsDirectory, version);
  if (live.problem !== undefined && set.entities.length > 0) {
    throw pipelineFailure("GATE_REFUSED", `no entity may be published now: ${live.problem.message}`, {
      cause: live.problem,
      hint: LOST_LIST_HINT,
    });
  }
  const { entities } = withLiveOptOuts(readRegistry(settings), live);
  const optedOut = entities.filter((entity) => entity.isOptedOut);
  const whole = { ...set, listings: set.listings.map((listing) => ({ ...listing, all: [] })) };
  const isNamed =
    checkPrivacy([...documentsOfLists(set), ...documentsOfDaos(whole)], optedOut).length > 0 ||
    set.entities.some(({ entity_id: entityId }) => live.list.has(entityId));
  if (!isNamed) return;
  throw pipelineFailure("GATE_REFUSED", `version ${version} names an entity that has opted out since`, {
    hint: "Run `govdata redact`, then roll back to the version that replaces this one.",
  });
}

/** Version names and ages come from the clock, so a clock that was set back must be checked first. */
function assertClock(settings: Settings, nowMs: number, allowsClock: boolean): void {
  const { published_at: madeAt } = readPointer(settings.snapshotsDirectory);
  if (allowsClock || nowMs >= Date.parse(madeAt)) return;
  const message = `the clock says ${timestampOf(nowMs)}, but the current version was made at ${madeAt}`;
  throw pipelineFailure("GATE_REFUSED", message, { hint: "If this is right: --allow clock" });
}
