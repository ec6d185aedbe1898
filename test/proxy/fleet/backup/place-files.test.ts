import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  DISK,
  isStoreThere,
  type PlacingDisk,
  placeFiles,
} from "../../../../proxy/fleet/backup/place-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

/** Two files that were made whole, and a folder that lacks them. */
function stage() {
  const [made, home] = ["made-", "home-"].map((name) => mkdtempSync(join(folder, name))) as [string, string];
  const files = ["quota.db", "keys.db"].map((name) => ({ from: join(made, name), to: join(home, name) }));
  for (const { from } of files) writeFileSync(from, basename(from));
  return { home, files };
}

/** A disk that writes down what it is asked, and fails as told. */
function diskThat(fails: { readonly link?: string; readonly flush?: number; readonly code: string }) {
  const asked: string[] = [];
  const failure = () => Object.assign(new Error("the system's words"), { code: fails.code });
  let flushes = 0;
  const disk: PlacingDisk = {
    link: (from, to) => {
      asked.push(`link ${basename(to)}`);
      if (basename(to) === fails.link) throw failure();
      DISK.link(from, to);
    },
    unlink: (path) => {
      asked.push(`unlink ${basename(path)}`);
      DISK.unlink(path);
    },
    flushFolder: () => {
      asked.push("flush");
      flushes += 1;
      if (flushes === fails.flush) throw failure();
    },
  };
  return { disk, asked };
}

describe("placeFiles", () => {
  it("has each file on disk before the next: no power cut leaves keys without their count", () => {
    const { home, files } = stage();
    const { disk, asked } = diskThat({ code: "" });
    placeFiles(files, home, disk);
    expect(asked).toEqual(["link quota.db", "flush", "link keys.db", "flush"]);
    for (const { to } of files) expect(readFileSync(to, "utf8")).toBe(basename(to));
  });

  it.each([
    {
      why: "the first",
      fails: { link: "quota.db", code: "EEXIST" },
      code: "HOME_NOT_EMPTY",
      says: "already has databases",
    },
    {
      why: "the second",
      fails: { link: "keys.db", code: "EEXIST" },
      code: "HOME_NOT_EMPTY",
      says: "already has databases",
    },
    { why: "a full disk", fails: { link: "keys.db", code: "ENOSPC" }, code: "ENOSPC", says: "words" },
    { why: "the first flush", fails: { flush: 1, code: "EIO" }, code: "EIO", says: "words" },
    { why: "the last flush", fails: { flush: 2, code: "EIO" }, code: "EIO", says: "words" },
    {
      why: "no links on FAT",
      fails: { link: "quota.db", code: "EPERM" },
      code: "HOME_UNUSABLE",
      says: "EPERM",
    },
    {
      why: "nor elsewhere",
      fails: { link: "keys.db", code: "ENOTSUP" },
      code: "HOME_UNUSABLE",
      says: "hard",
    },
  ])("leaves nothing behind where one cannot be placed: $why", ({ fails, code, says }) => {
    const { home, files } = stage();
    expect(() => placeFiles(files, home, diskThat(fails).disk)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(says) }),
    );
    expect(readdirSync(home)).toEqual([]);
  });

  it("leaves a counter that a server has opened meanwhile", () => {
    const { home, files } = stage();
    writeFileSync(join(home, "quota.db-wal"), "");
    const { disk, asked } = diskThat({ link: "keys.db", code: "EEXIST" });
    expect(() => placeFiles(files, home, disk)).toThrow("overwrites nothing");
    expect(asked).toEqual(["link quota.db", "flush", "link keys.db"]);
    expect(readdirSync(home).sort()).toEqual(["quota.db", "quota.db-wal"]);
  });
});

describe("isStoreThere", () => {
  it.each([
    { why: "nothing", name: undefined, isThere: false },
    { why: "the store", name: "keys.db", isThere: true },
    { why: "its log", name: "keys.db-wal", isThere: true },
    { why: "the memory of its readers", name: "keys.db-shm", isThere: true },
    { why: "a log of the other kind", name: "keys.db-journal", isThere: true },
    { why: "another store", name: "quota.db", isThere: false },
    { why: "another file of a like name", name: "keys.db.old", isThere: false },
  ])("sees what is in the way of a restored file: $why", ({ name, isThere }) => {
    const home = mkdtempSync(join(folder, "home-"));
    // A link to nowhere is in the way as well, and a look that follows it sees nothing.
    if (name !== undefined) symlinkSync("nowhere", join(home, name));
    expect(isStoreThere(join(home, "keys.db"))).toBe(isThere);
  });
});
