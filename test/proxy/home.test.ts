import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHome, placeOfKeys } from "../../proxy/home.ts";
import { runProxyCommand } from "../support/run-in-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const folder = temporaryFolder();

function homeWith(files: readonly string[]) {
  const directory = mkdtempSync(join(folder, "home-"));
  for (const name of files) writeFileSync(join(directory, name), "");
  return openHome(directory);
}

it.each([
  { why: "a new home", files: [], isLost: false },
  { why: "a pepper laid there before the first start", files: ["pepper"], isLost: false },
  { why: "keys were made, and nobody has served", files: ["keys.db", "pepper"], isLost: false },
  { why: "a server served", files: ["keys.db", "quota.db", "highest-sequence"], isLost: false },
  { why: "the keys are gone, the counts are not", files: ["quota.db", "pepper"], isLost: true },
  { why: "a restore was begun, or cut off", files: ["highest-sequence"], isLost: true },
])("knows whether keys were lost: $why", ({ files, isLost }) => {
  expect(placeOfKeys(homeWith(files)) === "lost").toBe(isLost);
});

async function run(home: string, line: string) {
  return runProxyCommand(line.split(" "), { environment: { GOVDATA_PROXY_HOME: home }, nowMs: () => 0 });
}

describe("a home whose keys are gone", () => {
  it.each(["serve --port 0", "key list", "backup /nowhere/at-all"])(
    "is not begun anew by %s: every caller would get 401",
    async (line) => {
      const { directory } = homeWith(["pepper", "quota.db"]);
      const end = await run(directory, line);
      expect(end).toMatchObject({ code: 1, stdout: "" });
      expect(end.stderr).toContain("its keys.db is gone");
      expect(end.stderr).toContain("restore DIR --keep-quota");
      expect(readdirSync(directory).sort()).toEqual(["pepper", "quota.db"]);
    },
  );

  it("is begun anew by who makes a key, and is told what that means", async () => {
    const { directory } = homeWith(["quota.db"]);
    const first = await run(directory, "key create --account acme --tier pro");
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("without the earlier keys") });
    const second = await run(directory, "key create --account acme");
    expect(second.stderr).not.toContain("warning");
  });
});

describe("a home whose keys are in Redis", () => {
  it.each([
    { why: "they were moved", files: ["keys.db.moved", "quota.db.moved"] },
    { why: "a server served from there", files: ["keys-point", "pepper", "quota-epoch"] },
    { why: "both, and it has counted here", files: ["keys.db.moved", "keys-point", "quota.db"] },
  ])("is not gone on with in files, by no command: $why", async ({ files }) => {
    const { directory } = homeWith(files);
    for (const line of [
      "serve --port 0",
      "key list",
      "key create --account a --tier pro",
      "backup /nowhere/at-all",
    ]) {
      const end = await run(directory, line);
      expect(end).toMatchObject({ code: 1, stdout: "" });
      expect(end.stderr).toContain("are in Redis, but GOVDATA_QUOTA is not set");
    }
    expect(readdirSync(directory).sort()).toEqual([...files].sort());
  });

  it("is one with files again where they were put back", async () => {
    const { directory } = homeWith(["keys.db.moved", "keys-point", "keys.db"]);
    expect(await run(directory, "account create a --tier pro")).toMatchObject({ code: 0 });
  });
});
