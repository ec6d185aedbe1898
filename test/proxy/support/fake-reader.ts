import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import type { Pointer } from "../../../snapshots/format/manifest.ts";
import type { DenyList } from "../../../snapshots/optouts/deny-list.ts";
import type { ReadyDocument, SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";

/** Name of the version with this sequence in the fakes. */
export function versionOf(sequence: number): string {
  return `20260401T0100${String(sequence).padStart(2, "0")}Z-9dab89c3`;
}

/** A pointer to the fake version with this sequence. */
export function pointerTo(sequence: number): Pointer {
  return {
    format: FORMAT_VERSION,
    sequence,
    version: versionOf(sequence),
    manifest: { sha256: "0".repeat(64), bytes: 1 },
    published_at: "2026-04-01T01:00:00.000Z",
  };
}

/** A list of opt-outs with nobody on it. */
export const NOBODY_DENIED = (() => {
  const list: DenyList = { count: 0, has: () => false };
  return { current: () => list, problem: () => undefined };
})();

/** A reader that holds nothing unless told, and counts how often it was closed. */
export function fakeReader(
  sequence: number,
  parts: Partial<SnapshotReader> = {},
): SnapshotReader & { readonly closed: () => number } {
  let closed = 0;
  return {
    version: versionOf(sequence),
    sequence,
    manifest: {
      format: FORMAT_VERSION,
      methodology_version: "1.0.0",
      sequence,
      previous: null,
      replaces: null,
      created_at: "2026-04-01T01:00:00.000Z",
      as_of: "2026-03-31T23:59:59.999Z",
      sources: [],
      redacted: false,
    },
    document: (): ReadyDocument | undefined => undefined,
    entityIds: () => [],
    entityIdOfWallet: () => undefined,
    latestListing: () => undefined,
    datedListing: () => undefined,
    refusedListing: () => undefined,
    damage: async () => undefined,
    close: () => {
      closed += 1;
    },
    closed: () => closed,
    ...parts,
  };
}
