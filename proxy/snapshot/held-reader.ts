import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";

/** A version held for one request: it stays open until every holder has released it. */
export interface SnapshotLease {
  readonly reader: SnapshotReader;
  readonly release: () => void;
}

/** A reader that counts its holders. */
export interface HeldReader {
  readonly reader: SnapshotReader;
  readonly lease: () => SnapshotLease;
  /** No new holder will come: close it as soon as the last one is gone. */
  readonly retire: () => void;
}

/** Counts who holds a reader, and closes it when it is retired and nobody does. */
export function holdReader(reader: SnapshotReader): HeldReader {
  let holders = 0;
  let isRetired = false;
  const closeIfDone = () => {
    if (isRetired && holders === 0) reader.close();
  };
  return {
    reader,
    lease: () => {
      holders += 1;
      let isReleased = false;
      return {
        reader,
        release: () => {
          if (isReleased) return;
          isReleased = true;
          holders -= 1;
          closeIfDone();
        },
      };
    },
    retire: () => {
      if (isRetired) return;
      isRetired = true;
      closeIfDone();
    },
  };
}
