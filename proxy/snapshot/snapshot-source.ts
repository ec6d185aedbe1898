import type { Pointer } from "../../snapshots/format/manifest.ts";
import { SnapshotError } from "../../snapshots/store/read/snapshot-error.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { type HeldReader, holdReader, type SnapshotLease } from "./held-reader.ts";
import {
  createReloadRefusals,
  NO_POINTER,
  type RefusalEvent,
  type ReloadProblem,
} from "./reload-refusals.ts";
import type { RemoteStatus } from "./remote-follower.ts";

/** Where versions come from: the pointer to look at, and the way to open what it names. */
export interface PublishedVersions {
  readonly readPointer: () => Pointer;
  /** Verifies and opens the current version; refuses one below `sequenceMin`. */
  readonly open: (sequenceMin: number) => Promise<SnapshotReader>;
  /** How it stands with the place that these are copied from, where they are. */
  readonly remote?: () => RemoteStatus;
}

/** What is served, and what is wrong with what is not. */
export interface SnapshotStatus {
  readonly serving: SnapshotReader | undefined;
  readonly problem: ReloadProblem | undefined;
  /** The version that the problem is with, where the pointer could be read. */
  readonly refusedVersion?: string | undefined;
  /** What is known of the place that versions are copied from, where there is one. */
  readonly remote?: RemoteStatus | undefined;
}

/** The version being served, kept up to date. */
export interface SnapshotSource {
  readonly acquire: () => SnapshotLease | undefined;
  readonly status: () => SnapshotStatus;
  /** Looks at the pointer once and follows it where it can; never rejects. */
  readonly poll: () => Promise<void>;
  readonly close: () => void;
}

/** What changed, for the log. */
export type ReloadEvent =
  | { readonly kind: "serving"; readonly version: string; readonly sequence: number }
  | RefusalEvent;

/** What the source needs. */
export interface SnapshotSourceParts {
  readonly versions: PublishedVersions;
  readonly memory: {
    readonly highest: () => number;
    /** On disk when it is done. */
    readonly remember: (sequence: number) => void | Promise<void>;
  };
  readonly nowMs: () => number;
  readonly onEvent: (event: ReloadEvent) => void;
}

/** Follows the pointer: a new version is verified beside the old one and takes its place with one assignment. */
export function createSnapshotSource(parts: SnapshotSourceParts): SnapshotSource {
  const { versions, memory, onEvent } = parts;
  const refusals = createReloadRefusals(parts.nowMs, onEvent);
  let serving: HeldReader | undefined;
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  const adopt = async (reader: SnapshotReader): Promise<void> => {
    await rememberOrClose(reader, memory);
    if (isClosed) {
      reader.close();
      return;
    }
    const old = serving;
    serving = holdReader(reader);
    refusals.clear();
    old?.retire();
    onEvent({ kind: "serving", version: reader.version, sequence: reader.sequence });
  };

  // What was whole when it was opened may be cut or overwritten since. Nothing older takes its place: to whoever
  // kept an answer that would be a rollback.
  const dropWhenDamaged = async (): Promise<void> => {
    const held = serving;
    const damage = await held?.reader.damage();
    if (held === undefined || damage === undefined || held !== serving) return;
    serving = undefined;
    held.retire();
    refusals.note(damage, { version: held.reader.version, mark: "" });
  };

  const follow = async (): Promise<void> => {
    let pointer = NO_POINTER;
    try {
      await dropWhenDamaged();
      const found = versions.readPointer();
      pointer = {
        version: found.version,
        mark: `${found.sequence} ${found.version} ${found.manifest.sha256}`,
      };
      const served = serving?.reader;
      if (served?.version === found.version && served.sequence === found.sequence) {
        refusals.clear();
        return;
      }
      if (refusals.isWaiting(pointer.mark)) return;
      if (found.sequence < memory.highest()) throw rolledBack(found.sequence, memory.highest());
      const reader = await versions.open(memory.highest());
      if (isClosed) reader.close();
      else await adopt(reader);
    } catch (error) {
      refusals.note(error, pointer);
    }
  };

  return {
    acquire: () => serving?.lease(),
    status: () => ({
      serving: serving?.reader,
      problem: refusals.problem(),
      refusedVersion: refusals.version(),
      remote: versions.remote?.(),
    }),
    poll: () => {
      underWay ??= follow().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    close: () => {
      isClosed = true;
      serving?.retire();
      serving = undefined;
    },
  };
}

/** Remembered before it is served: after a crash in between, nothing older than what was served can come back. */
async function rememberOrClose(reader: SnapshotReader, memory: SnapshotSourceParts["memory"]): Promise<void> {
  try {
    if (reader.sequence > memory.highest()) await memory.remember(reader.sequence);
  } catch (error) {
    reader.close();
    throw error;
  }
}

function rolledBack(sequence: number, highest: number): SnapshotError {
  return new SnapshotError(
    "SNAPSHOT_ROLLED_BACK",
    `The pointer names sequence ${sequence}, but ${highest} was served before.`,
    { path: "current.json" },
  );
}
