import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Workers inherit it. */
const VARIABLE = "GOVDATA_TEST_FOLDER";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "govdata-tests-"));
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
  makeFolder();
}
