import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Workers inherit them. */
const VARIABLE = "GOVDATA_TEST_FOLDER";
const LASTING = "GOVDATA_TEST_LASTING_FOLDER";
const MEMORY = "/dev/shm";
/** Several times what a run of all tests holds at once. */
const ROOM_BYTES = 4 * 2 ** 30;

/** Whether files can lie in memory, and be started from there, as some tests do. */
function hasRoomInMemory(): boolean {
  try {
    const [, options = "noexec"] = / \/dev\/shm tmpfs (\S+)/.exec(readFileSync("/proc/mounts", "utf8")) ?? [];
    const { bavail, bsize } = statfsSync(MEMORY);
    return !options.split(",").includes("noexec") && Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/**
 * Where temporary folders are made: in memory where the system offers it and has the room. Tests write and flush
 * thousands of files, and what they ask is order, not durability.
 */
export function temporaryHome(): string {
  return process.env[VARIABLE] === undefined && hasRoomInMemory() ? MEMORY : tmpdir();
}

/** Lets this process, and all that it starts, make its temporary folders there. */
export function useTemporaryHome(): void {
  process.env[LASTING] = tmpdir();
  process.env["TMPDIR"] = temporaryHome();
}

/** Where a later run finds what is dear to make; on disk, for it stays. */
export function lastingFolder(): string {
  return process.env[LASTING] ?? tmpdir();
}

function makeFolder(): string {
  const folder = mkdtempSync(join(temporaryHome(), "govdata-tests-"));
  process.env[VARIABLE] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The folder of this run of tests, for what is made once for all of its files and workers; gone when the run is. */
export function runFolder(): string {
  return process.env[VARIABLE] ?? makeFolder();
}

/** Vitest calls it once, before any worker starts. What a shell says is of another run. */
export function setup(): void {
  delete process.env[VARIABLE];
  // What a test leaves behind goes with the run.
  process.env["TMPDIR"] = makeFolder();
}
