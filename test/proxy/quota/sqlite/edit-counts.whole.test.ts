import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { assertWhole } from "../../../../proxy/quota/sqlite/edit-counts.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

it.each([
  { why: "one file", beside: [], isWhole: true },
  { why: "the memory of readers, which holds nothing of its own", beside: ["keys.db-shm"], isWhole: true },
  { why: "a log", beside: ["keys.db-wal"], isWhole: false },
  { why: "an old kind of log", beside: ["keys.db-journal"], isWhole: false },
])("refuses a store that left a part of itself elsewhere: $why", ({ beside, isWhole }) => {
  const home = mkdtempSync(join(folder, "home-"));
  const path = join(home, "keys.db");
  for (const name of ["keys.db", ...beside]) writeFileSync(join(home, name), "");
  if (isWhole) return expect(() => assertWhole(path)).not.toThrow();
  expect(() => assertWhole(path)).toThrow(
    expect.objectContaining({
      code: "STORE_UNUSABLE",
      message: "keys.db could not be written completely: part of it is still in its log.",
    }),
  );
});

it("sees a log that is a link to nowhere", () => {
  const path = join(mkdtempSync(join(folder, "home-")), "quota.db");
  symlinkSync("nowhere", `${path}-wal`);
  expect(() => assertWhole(path)).toThrow("quota.db could not be written completely");
});
