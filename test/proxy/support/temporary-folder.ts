import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder of its own for one test file, gone after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "govdata-proxy-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
