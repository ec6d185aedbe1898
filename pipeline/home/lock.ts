import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { kill, pid } from "node:process";
import { z } from "zod";
import { errorCode } from "../../snapshots/base/failure.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { attempt } from "../../snapshots/store/read/snapshot-error.ts";
import {
  createSnapshotDisk,
  type SnapshotDisk,
  whileLocked as whileDiskLocked,
} from "../../snapshots/store/write/snapshot-disk.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import { homeFile } from "./home.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/**
 * Holds the publisher's lock while `action` runs; `action` receives the disk with which the store can use the same lock.
 * Callers take it before they fetch or compare, so that gates compare with the version that will be replaced. Throws
 * `PUBLISH_LOCKED` at once if another run holds it.
 */
export async function whileLocked<Result>(
  settings: Settings,
  action: (disk: SnapshotDisk) => Promise<Result>,
): Promise<Result> {
  const disk = createSnapshotDisk(settings.snapshotsDirectory);
  try {
    return await withStore(async () => {
      await attempt("make the snapshot root", () => disk.makeRoot());
      return whileDiskLocked(disk, async (held) => {
        // Helps people find a run that hangs. The lock itself is the kernel's, so failing to write the note is no error.
        const note = homeFile(settings, "holder");
        quietly(() => writeFileSync(note, `${JSON.stringify({ pid } satisfies Note)}\n`, { mode: 0o600 }));
        try {
          return await action(held);
        } finally {
          quietly(() => rmSync(note, { force: true }));
        }
      });
    });
  } catch (error) {
    throw withHolder(settings, error);
  }
}

const Note = z.strictObject({ pid: z.int().min(1) });
type Note = z.output<typeof Note>;

function quietly<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** The process that publishes from this home, and since when, from its note; `undefined` without a readable note. */
export function readHolder(settings: Settings) {
  const path = homeFile(settings, "holder");
  return quietly(() => {
    const note = Note.parse(JSON.parse(readFileSync(path, "utf8")));
    // A killed process leaves its note behind, so check that the process exists.
    return { pid: note.pid, sinceMs: statSync(path).mtimeMs, isAlive: processExists(note.pid) };
  });
}

function processExists(id: number): boolean {
  try {
    return kill(id, 0);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

/** Adds the process that holds the lock to a PUBLISH_LOCKED error, if known: it may be one that hangs. */
function withHolder(settings: Settings, error: unknown): unknown {
  if (!(isPipelineFailure(error) && error.code === "PUBLISH_LOCKED")) return error;
  const holder = readHolder(settings);
  if (holder?.isAlive !== true) return error;
  const since = timestampOf(Math.floor(holder.sinceMs));
  return pipelineFailure(error.code, `${error.message}: process ${holder.pid}, since ${since}`, {
    cause: error,
    hint: `Try again when it has ended. If it hangs, end it with \`kill ${holder.pid}\`: nothing half done is published.`,
  });
}
