import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskTroubleHint, replaceFile, writeOutput } from "../../../pipeline/home/atomic-write.ts";

/** Replaces a file by a text and nothing else. */
const replaceText = (path: string, make: (text: string) => string) =>
  replaceFile(path, (text) => ({ text: make(text) }));

const root = mkdtempSync(join(tmpdir(), "govdata-replace-"));

/** A file with this text in a folder of its own. */
function fileOf(text: string): { readonly path: string; readonly folder: string } {
  const folder = mkdtempSync(join(root, "home-"));
  const path = join(folder, "registry.yaml");
  writeFileSync(path, text);
  return { path, folder };
}

describe("replaceFile", () => {
  it("writes the edited text, keeps the mode and leaves nothing beside it", () => {
    const { path, folder } = fileOf("one");
    chmodSync(path, 0o640);
    replaceText(path, (text) => `${text} two`);
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["one two", ["registry.yaml"]]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it("keeps a symbolic link, and edits its target", () => {
    const { path, folder } = fileOf("one");
    const link = join(folder, "link.yaml");
    symlinkSync(path, link);
    replaceText(link, () => "two");
    expect([lstatSync(link).isSymbolicLink(), readFileSync(path, "utf8")]).toEqual([true, "two"]);
  });

  it("writes nothing if the edit changes nothing", () => {
    const { path, folder } = fileOf("one");
    const { ino } = statSync(path);
    replaceText(path, (text) => text);
    expect([statSync(path).ino, readdirSync(folder)]).toEqual([ino, ["registry.yaml"]]);
  });

  it("leaves the file unchanged if the edit throws", () => {
    const { path, folder } = fileOf("one");
    const refuse = () => {
      throw new RangeError("no");
    };
    expect(() => replaceText(path, refuse)).toThrow(RangeError);
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["one", ["registry.yaml"]]);
  });

  it("refuses an edit during another one", () => {
    const { path, folder } = fileOf("one");
    const slow = () => {
      replaceText(path, () => "three");
      return "two";
    };
    expect(() => replaceText(path, slow)).toThrow(expect.objectContaining({ code: "HOME_INVALID" }));
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["three", ["registry.yaml"]]);
  });

  it("refuses to overwrite a change that was made during the edit", () => {
    const { path, folder } = fileOf("one");
    const edit = (text: string) => {
      writeFileSync(path, "by hand");
      return `${text} two`;
    };
    expect(() => replaceText(path, edit)).toThrow(expect.objectContaining({ code: "HOME_INVALID" }));
    expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["by hand", ["registry.yaml"]]);
  });

  it("leaves the file of an interrupted edit to the operator", () => {
    const { path } = fileOf("one");
    writeFileSync(`${path}.new`, "tw");
    expect(() => replaceText(path, () => "two")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("delete registry.yaml.new") }),
    );
    expect([existsSync(`${path}.new`), readFileSync(path, "utf8")]).toEqual([true, "one"]);
  });

  it("names a missing file without its folder", () => {
    expect(() => replaceText(join(root, "none", "registry.yaml"), () => "")).toThrow(
      expect.objectContaining({ code: "HOME_INVALID", message: "registry.yaml cannot be edited (ENOENT)" }),
    );
  });
});

describe("writeOutput", () => {
  it("leaves a file unchanged if the bytes break off", () => {
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

  it("does not replace a file that was created in the meantime", () => {
    const path = join(mkdtempSync(join(root, "output-")), "out.csv");
    function* slow(): Generator<Uint8Array> {
      writeFileSync(path, "somebody else's");
      yield Buffer.from("ours");
    }
    expect(() => writeOutput({ path, isForced: false, runId: "00" }, slow())).toThrow("already exists");
  });
});

it.each([
  ["ENOSPC", "full or failing"],
  ["EDQUOT", "full or failing"],
  ["EIO", "full or failing"],
  ["SQLITE_FULL", "full or failing"],
  ["SQLITE_IOERR_SHMSIZE", "full or failing"],
  ["EROFS", "read-only"],
  ["SQLITE_READONLY_DIRECTORY", "read-only"],
  ["EACCES", undefined],
  ["ENOENT", undefined],
  ["SQLITE_BUSY", undefined],
  ["SQLITE_CORRUPT", undefined],
  ["ENOSPCX", undefined],
])("the hint for %s is about a disk that is %s", (code, trouble) => {
  const hint = diskTroubleHint(code);
  if (trouble === undefined) expect(hint).toBeUndefined();
  else expect(hint).toContain(trouble);
});
