import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Environment variables, which workers inherit. */
const VARIABLE = "GOVDATA_TEST_FOLDER";
const LASTING = "GOVDATA_TEST_LASTING_FOLDER";
const MEMORY = "/dev/shm";
/** Several times the peak use of a run of all tests. */
const MEMORY_BYTES_MIN = 4 * 2 ** 30;

/** Whether there is a memory file system from which programs can be started, as some tests do. */
function hasMemoryFileSystem(): boolean {
  try {
    const [, options = "noexec"] = / \/dev\/shm tmpfs (\S+)/.exec(readFileSync("/proc/mounts", "utf8")) ?? [];
    const { bavail, bsize } = statfsSync(MEMORY);
    return !options.split(",").includes("noexec") && Math.min(bavail * bsize, freemem()) >= MEMORY_BYTES_MIN;
  } catch {
    return false;
  }
}

/**
 * The parent of temporary folders: in memory if the system has enough of it, because tests write and flush thousands of
 * files that need no durability.
 */
export function temporaryHome(): string {
  return process.env[VARIABLE] === undefined && hasMemoryFileSystem() ? MEMORY : tmpdir();
}

/** Makes this process and its children create their temporary folders there. */
export function useTemporaryHome(): void {
  process.env[LASTING] = tmpdir();
  process.env["TMPDIR"] = temporaryHome();
}

/** The folder on disk for expensive results that later runs reuse. */
export function lastingFolder(): string {
  return process.env[LASTING] ?? tmpdir();
}

function makeFolder(): string {
  const folder = mkdtempSync(join(temporaryHome(), "govdata-tests-"));
  // A test that starts programs as another user opens its own folder to it, and that user must get there.
  chmodSync(folder, 0o711);
  process.env[VARIABLE] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The folder of this test run, shared by all files and workers, and removed at its end. */
export function runFolder(): string {
  return process.env[VARIABLE] ?? makeFolder();
}

/** Vitest calls it once before any worker starts. Ignores values from the shell, which belong to another run. */
export function setup(): void {
  delete process.env[VARIABLE];
  // Files that a test leaves behind are removed with the run.
  process.env["TMPDIR"] = makeFolder();
}
