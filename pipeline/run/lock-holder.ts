import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kill, pid } from "node:process";
import { z } from "zod";
import type { Settings } from "./settings.ts";

const HOLDER_FILE = "running.json";

const Note = z.strictObject({ pid: z.int().min(1) });

/** Who has published from this home since when, as far as a note in it says. */
export interface LockHolder {
  readonly pid: number;
  readonly sinceMs: number;
  /** A process of that number is there; one that was killed leaves its note behind. */
  readonly isAlive: boolean;
}

/**
 * Notes who holds the publisher's lock, for people who look for a run that hangs; the answer takes the note away. The
 * lock is the kernel's and needs no note, so a home that takes none stops nobody.
 */
export function noteHolder({ homeDirectory }: Settings): () => void {
  const path = join(homeDirectory, HOLDER_FILE);
  try {
    writeFileSync(path, `${JSON.stringify(Note.parse({ pid }))}\n`, { mode: 0o600 });
  } catch {
    return () => {};
  }
  return () => {
    try {
      rmSync(path, { force: true });
    } catch {
      // It says of a process that is gone; nobody is told that it is at work.
    }
  };
}

function isThere(id: number): boolean {
  try {
    return kill(id, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** What the note says; `undefined` where there is none, or none that can be read. */
export function readHolder({ homeDirectory }: Settings): LockHolder | undefined {
  const path = join(homeDirectory, HOLDER_FILE);
  try {
    const note = Note.parse(JSON.parse(readFileSync(path, "utf8")));
    return { pid: note.pid, sinceMs: statSync(path).mtimeMs, isAlive: isThere(note.pid) };
  } catch {
    return undefined;
  }
}
