import { setTimeout as pause } from "node:timers/promises";
import { pruneVersions } from "../../snapshots/store/maintain/prune-versions.ts";
import { redactSnapshot } from "../../snapshots/store/maintain/redact-snapshot.ts";
import { repairPointer } from "../../snapshots/store/maintain/repair-pointer.ts";
import { type Verification, verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { whileLocked } from "../home/lock.ts";
import { surelyOptedOut } from "../home/opt-outs.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import { signerOf, trustedKeysOf } from "../home/signing-key.ts";
import { withStore } from "../home/store-errors.ts";

/** What was deleted, or would be. */
export type PruneResult = Awaited<ReturnType<typeof runPrune>>;

/** `govdata prune`: deletes versions past an age, or only says which; what is current stays whatever it is asked for. */
export async function runPrune(settings: Settings, options: Parameters<typeof pruneVersions>[1]) {
  return withStore(() => pruneVersions(createSnapshotDisk(settings.snapshotsDirectory), options));
}

/** Whose versions may be pointed at. */
interface RepairOptions {
  /** Also points at a version that has no signature. */
  readonly allowsUnsigned: boolean;
  /** As given: public keys of which one may have signed it, beside the home's own. */
  readonly publicKeys: string | undefined;
}

/** What is current now, and what is wrong with it. */
export type RepairOutcome = Awaited<ReturnType<typeof runRepair>>;

/** `govdata repair`: points at the newest version that lies there, where the pointer is lost, damaged or an old one, and verifies it deeply. */
export async function runRepair(
  settings: Settings,
  { allowsUnsigned, publicKeys }: RepairOptions,
  effects: Pick<RunEffects, "runId">,
) {
  return whileLocked(settings, async (disk) => {
    const trustedKeys = signerOf(settings, publicKeys)?.trustedKeys;
    const repaired = await repairPointer(disk, { runId: effects.runId, allowsUnsigned, trustedKeys });
    const { files, problems } = await verifySnapshot(disk.root, { deep: true });
    return { ...repaired, files, problems };
  });
}

/** Which version to verify, and how. */
interface VerifyOptions {
  /** `undefined` is the current one. */
  readonly version: string | undefined;
  readonly isDeep: boolean;
  readonly sequenceMin: number | undefined;
  /** As given: public keys of which one must have signed; `undefined` asks for no signature. */
  readonly publicKeys: string | undefined;
}

/** `govdata verify`: every problem of a version, by file; none means that it is whole. */
export async function verifyPublished(
  { snapshotsDirectory }: Settings,
  { version, isDeep, sequenceMin, publicKeys }: VerifyOptions,
): Promise<Verification> {
  return verifySnapshot(snapshotsDirectory, {
    deep: isDeep,
    trustedKeys: publicKeys === undefined ? undefined : trustedKeysOf(publicKeys),
    ...(version === undefined ? {} : { version }),
    ...(sequenceMin === undefined ? {} : { sequenceMin }),
  });
}

/** What to do, and how long to wait for readers between moving the pointer and deleting what they read before. */
interface RedactOptions {
  readonly isDryRun: boolean;
  readonly readersFollowMs: number;
  /** As given: public keys of which one may have signed before, beside the home's own. */
  readonly publicKeys: string | undefined;
}

/** `govdata redact`: takes everybody who opted out, in the registry or on the live list, out of every kept version. */
export async function runRedact(
  settings: Settings,
  { isDryRun, readersFollowMs, publicKeys }: RedactOptions,
  effects: Pick<RunEffects, "runId">,
) {
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
