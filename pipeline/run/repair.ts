import { type RepairResult, repairPointer } from "../../snapshots/store/repair-pointer.ts";
import { type Verification, verifySnapshot } from "../../snapshots/store/verify-snapshot.ts";
import type { RunEffects } from "./effects.ts";
import type { Settings } from "./settings.ts";
import { signerOf } from "./signing-key.ts";
import { withStore } from "./store-errors.ts";
import { whileLocked } from "./while-locked.ts";

/** Whose versions may be pointed at. */
export interface RepairOptions {
  /** Also points at a version that has no signature. */
  readonly allowsUnsigned: boolean;
  /** As given: public keys of which one may have signed it, beside the home's own. */
  readonly publicKeys: string | undefined;
}

/** What is current now, and what is wrong with it. */
export type RepairOutcome = RepairResult & Pick<Verification, "files" | "problems">;

/** `govdata repair`: points at the newest version that lies there, where the pointer is lost, damaged or an old one, and verifies it deeply. */
export async function runRepair(
  settings: Settings,
  { allowsUnsigned, publicKeys }: RepairOptions,
  effects: Pick<RunEffects, "runId">,
): Promise<RepairOutcome> {
  return whileLocked(settings, (disk) =>
    withStore(async () => {
      const trustedKeys = signerOf(settings, publicKeys)?.trustedKeys;
      const repaired = await repairPointer(disk, { runId: effects.runId, allowsUnsigned, trustedKeys });
      const { files, problems } = await verifySnapshot(disk.root, { deep: true });
      return { ...repaired, files, problems };
    }),
  );
}
