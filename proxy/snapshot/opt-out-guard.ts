import type { DenyList, FollowedDenyList } from "../../snapshots/optouts/deny-list.ts";
import type { OptOutsErrorCode } from "../../snapshots/optouts/opt-out-book.ts";
import { guardReader } from "../../snapshots/store/read/guard-reader.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";

/** Stands between every version and whoever asks: nobody sees a version but through it. */
export interface OptOutGuard {
  readonly shown: (reader: SnapshotReader) => SnapshotReader;
  /** Why no entity is served, or nothing while the list of live opt-outs is obeyed. */
  readonly problem: () => OptOutsErrorCode | undefined;
}

/** Guards versions by the list as it is now; what a list makes of a version is worked out once. */
export function createOptOutGuard(denyList: Pick<FollowedDenyList, "current" | "problem">): OptOutGuard {
  const made = new WeakMap<SnapshotReader, { readonly list: DenyList; readonly shown: SnapshotReader }>();
  return {
    shown: (reader) => {
      const list = denyList.current();
      const known = made.get(reader);
      if (known?.list === list) return known.shown;
      const shown = withPublishedDelegates(guardReader(reader, list), reader);
      made.set(reader, { list, shown });
      return shown;
    },
    problem: () => denyList.problem(),
  };
}

/**
 * Names of delegates are public data of the chain, and stay as they were published until the next version: one that went
 * away in the same version would tell everybody who compares two answers that its owner opted out, and when.
 */
function withPublishedDelegates(guarded: SnapshotReader, reader: SnapshotReader): SnapshotReader {
  if (guarded === reader) return reader;
  const { latestListing, datedListing } = reader;
  return { ...guarded, latestListing, datedListing };
}
