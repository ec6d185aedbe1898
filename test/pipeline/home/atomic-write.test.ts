import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { diskTroubleHint, replaceFile, writeOutput } from "../../../pipeline/home/atomic-write.ts";

/** Replaces a file by a text and nothing else. */
const replaceText = (path: string, make: (text: string) => string) =>
  replaceFile(path, (text) => ({ text: make(text) }));

const root = mkdtempSync(join(tmpdir(), "govdata-replace-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A file with this text in a folder of its own. */
function fileOf(text: string): { readonly path: string; readonly folder: string } {
  const folder = mkdtempSync(join(root, "home-"));
  const path = join(folder, "registry.yaml");
  writeFileSync(path, text);
  return { path, folder };
}

describe("replaceFile", () => {
  it("writes what the edit made, and leaves nothing beside it", () => {
    const { path, folder } = fileOf("one");
    replaceText(path, (text) => `${text} two`);
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["one two", ["registry.yaml"]]);
  });

  it("keeps the mode", () => {
    const { path } = fileOf("one");
    chmodSync(path, 0o640);
    replaceText(path, () => "two");
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it("keeps a link, and edits what it leads to", () => {
    const { path, folder } = fileOf("one");
    const link = join(folder, "link.yaml");
    symlinkSync(path, link);
    replaceText(link, () => "two");
    expect([lstatSync(link).isSymbolicLink(), readFileSync(path, "utf8")]).toEqual([true, "two"]);
  });

  it("writes nothing where the edit changes nothing", () => {
    const { path, folder } = fileOf("one");
    const { ino } = statSync(path);
    replaceText(path, (text) => text);
    expect([statSync(path).ino, readdirSync(folder)]).toEqual([ino, ["registry.yaml"]]);
  });

  it("leaves the file as it was where the edit throws", () => {
    const { path, folder } = fileOf("one");
    const refuse = () => {
      throw new RangeError("no");
    };
    expect(() => replaceText(path, refuse)).toThrow(RangeError);
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["one", ["registry.yaml"]]);
  });

  it("lets no edit overtake another", () => {
    const { path, folder } = fileOf("one");
    const slow = () => {
      replaceText(path, () => "three");
      return "two";
    };
    expect(() => replaceText(path, slow)).toThrow(expect.objectContaining({ code: "HOME_INVALID" }));
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["three", ["registry.yaml"]]);
  });

  it("writes nothing over what somebody else wrote meanwhile", () => {
    const { path, folder } = fileOf("one");
    const edit = (text: string) => {
      writeFileSync(path, "by hand");
      return `${text} two`;
    };
    expect(() => replaceText(path, edit)).toThrow(expect.objectContaining({ code: "HOME_INVALID" }));
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["by hand", ["registry.yaml"]]);
  });

  it("leaves a cut-off edit's file for the operator to judge", () => {
    const { path } = fileOf("one");
    writeFileSync(`${path}.new`, "tw");
    expect(() => replaceText(path, () => "two")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("delete registry.yaml.new") }),
    );
    expect([existsSync(`${path}.new`), readFileSync(path, "utf8")]).toEqual([true, "one"]);
  });

  it("says what is missing, and names no folder of this machine", () => {
    expect(() => replaceText(join(root, "none", "registry.yaml"), () => "")).toThrow(
      expect.objectContaining({ code: "HOME_INVALID", message: "registry.yaml cannot be edited (ENOENT)" }),
    );
  });
});

describe("writeOutput", () => {
  it("leaves a file as it was when the bytes break off", () => {
    const path = join(mkdtempSync(join(root, "output-")), "out.csv");
    const file = { path, isForced: true, runId: "00" };
    writeOutput(file, [Buffer.from("whole")]);
    function* broken(): Generator<Uint8Array> {
      yield Buffer.from("half");
      throw new Error("no more");
    }
    expect(() => writeOutput(file, broken())).toThrow("no more");
    expect(readFileSync(path, "utf8")).toBe("whole");
    expect(readdirSync(join(path, "..")), "and nothing lies beside it").toEqual(["out.csv"]);
    expect(() => writeOutput({ ...file, isForced: false }, [])).toThrow("already exists");
    expect(() => writeOutput({ ...file, path: join(path, "below") }, [])).toThrow("ENOTDIR");
  });

  it("does not replace a file that came in the meantime", () => {
    const path = join(mkdtempSync(join(root, "output-")), "out.csv");
    function* slow(): Generator<Uint8Array> {
      writeFileSync(path, "somebody else's");
      yield Buffer.from("ours");
    }
    expect(() => writeOutput({ path, isForced: false, runId: "00" }, slow())).toThrow("already exists");
  });
});

it.each([
  { why: "no room", code: "ENOSPC", says: "is full" },
  { why: "no room for this user", code: "EDQUOT", says: "is full" },
  { why: "SQLite's word for no room", code: "SQLITE_FULL", says: "is full" },
  { why: "no room for the memory that its readers share", code: "SQLITE_IOERR_SHMSIZE", says: "is full" },
  { why: "a disk that fails", code: "EIO", says: "or failing" },
  { why: "a disk that is mounted read-only", code: "EROFS", says: "read-only" },
  { why: "the same, to SQLite", code: "SQLITE_READONLY_DIRECTORY", says: "read-only" },
])("$why ($code) is told as what it is", ({ code, says }) => {
  expect(diskTroubleHint(code)).toContain(says);
});

it.each([
  { why: "a right that is missing", code: "EACCES" },
  { why: "nothing there", code: "ENOENT" },
  { why: "another's lock", code: "SQLITE_BUSY" },
  { why: "a damaged file", code: "SQLITE_CORRUPT" },
  { why: "a code that begins like one", code: "ENOSPCX" },
])("$why ($code) is no trouble of the disk", ({ code }) => {
  expect(diskTroubleHint(code)).toBeUndefined();
});
