import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { kill, pid } from "node:process";
import { z } from "zod";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { attempt } from "../../snapshots/store/read/snapshot-error.ts";
import {
  createSnapshotDisk,
  type SnapshotDisk,
  whileLocked as whileDiskLocked,
} from "../../snapshots/store/write/snapshot-disk.ts";
import { PipelineError } from "../facts/errors.ts";
import { homeFile } from "./home.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/**
 * Holds the one publisher's lock while `action` runs, on a disk on which the store may enter it again. It is taken before
 * anything is fetched or compared: gates judge against the very version that will be replaced, and a second run ends at
 * once with `PipelineError` PUBLISH_LOCKED.
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
        // For people who look for a run that hangs. The lock is the kernel's: a home that takes no note stops nobody.
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

/** Who has published from this home since when, as its note says; `undefined` where there is none that can be read. */
export function readHolder(settings: Settings) {
  const path = homeFile(settings, "holder");
  return quietly(() => {
    const note = Note.parse(JSON.parse(readFileSync(path, "utf8")));
    // A process of that number is there; one that was killed leaves its note behind.
    return { pid: note.pid, sinceMs: statSync(path).mtimeMs, isAlive: isThere(note.pid) };
  });
}

function isThere(id: number): boolean {
  try {
    return kill(id, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A refusal that says who is in the way, where the home knows: it may be a process that hangs. */
function withHolder(settings: Settings, error: unknown): unknown {
  if (!(error instanceof PipelineError && error.code === "PUBLISH_LOCKED")) return error;
  const holder = readHolder(settings);
  if (holder?.isAlive !== true) return error;
  const since = timestampOf(Math.floor(holder.sinceMs));
  return new PipelineError(error.code, `${error.message}: process ${holder.pid}, since ${since}`, {
    cause: error,
    hint: `Try again when it has ended. One that hangs is ended by \`kill ${holder.pid}\`: nothing half done is published.`,
  });
}
