import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createArchiveSource } from "../../../../pipeline/sources/archive/archive-source.ts";
import { memorySink } from "../memory-sink.ts";
import { SPACE, TRIED_DAO } from "./small-archive.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "govdata-irregular-"));
  for (const folder of ["spaces", "proposals", "votes"]) mkdirSync(join(directory, folder));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a file that never ends", () => {
  it.each([
    { why: "a pipe nobody writes to", make: (path: string) => execFileSync("mkfifo", [path]) },
    { why: "a device", make: (path: string) => symlinkSync("/dev/zero", path) },
  ])("is refused by name and not waited for: $why", async ({ make }) => {
    for (const file of [`spaces/${SPACE}.json`, `votes/${SPACE}.ndjson`]) {
      rmSync(join(directory, file), { force: true });
      make(join(directory, file));
      const fetched = createArchiveSource({ directory }).fetchSpace(TRIED_DAO, memorySink());
      await expect(fetched).rejects.toMatchObject({
        code: "SOURCE_FAILED",
        message: `${file} is not a regular file`,
      });
      rmSync(join(directory, file));
    }
  });
});
