import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Workers inherit it. */
const VARIABLE = "GOVDATA_TEST_FOLDER";

/** The folder of this run of tests, for what is made once for all of its files and workers; gone when the run is. */
export function runFolder(): string {
  const given = process.env[VARIABLE];
  if (given !== undefined) return given;
  const folder = mkdtempSync(join(tmpdir(), "govdata-tests-"));
  process.env[VARIABLE] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Vitest calls it once, before any worker starts. */
export function setup(): void {
  runFolder();
}
