import { mkdtempSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRememberedFile } from "../../../snapshots/base/durable-files.ts";
import { temporaryFolder } from "../../proxy/support/temporary-folder.ts";

const folder = temporaryFolder();
const newPath = () => join(mkdtempSync(join(folder, "home-")), "seen");
const open = (path: string) =>
  openRememberedFile<number>({
    path,
    read: (line) => (/^[0-9]+$/.test(line) ? Number(line) : undefined),
    write: String,
    damaged: () => new Error("seen is damaged"),
  });

describe("openRememberedFile", () => {
  it("gives after a restart what was remembered last, in a file of its owner alone and no other", async () => {
    const path = newPath();
    const file = open(path);
    expect(file.last()).toBeUndefined();
    const writes = [7, 8, 9].map(file.remember);
    expect(file.last(), "not on disk yet").toBeUndefined();
    await writes[0];
    expect(file.last()).toBeGreaterThanOrEqual(7);
    await Promise.all(writes);
    expect([file.last(), open(path).last()]).toEqual([9, 9]);
    expect(readFileSync(path, "utf8")).toBe("9\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["seen"]);
  });

  it("is shared by several writers, of which the last one stays", async () => {
    const path = newPath();
    await Promise.all([open(path).remember(1), open(path).remember(2)]);
    expect([1, 2]).toContain(open(path).last());
    expect(readdirSync(join(path, ".."))).toEqual(["seen"]);
  });

  it("rejects where it cannot be written, keeps what was there, and goes on when it can", async () => {
    const path = newPath();
    const file = open(path);
    await file.remember(1);
    const home = join(path, "..");
    renameSync(home, `${home}-away`);
    await expect(file.remember(2)).rejects.toThrow(/ENOENT/);
    await expect(file.remember(3), "one failure does not hold up the next").rejects.toThrow(/ENOENT/);
    expect(file.last()).toBe(1);
    renameSync(`${home}-away`, home);
    await file.remember(4);
    expect(open(path).last()).toBe(4);
  });

  it.each([
    { why: "empty", text: "" },
    { why: "of another kind", text: "seven\n" },
  ])("refuses a file that is damaged: $why", ({ text }) => {
    const path = newPath();
    writeFileSync(path, text);
    expect(() => open(path)).toThrow("seen is damaged");
  });
});
