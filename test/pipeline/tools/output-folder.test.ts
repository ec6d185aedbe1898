import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createOutputFolder, type FolderKind } from "../../../pipeline/tools/output-folder.ts";
import { sha256Hex } from "../../../snapshots/format/canonical-json.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-output-folder-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const KIND: FolderKind = {
  name: "a collection",
  markFile: "mark.json",
  kind: "collection",
  hint: "Name another.",
  failure: "OUTPUT_FAILED",
  makesParents: false,
};

/** A path in a folder of its own. */
const place = (): string => join(mkdtempSync(join(root, "around-")), "out");
const around = (path: string) => readdirSync(dirname(path));
const markOf = (files: readonly object[]) => ({ files });
const refusal = (code: string) => expect.objectContaining({ code });

function createFilled(path: string, text = "first", isForced = false) {
  const folder = createOutputFolder({ path, isForced, runId: "r" }, KIND);
  folder.putText("deep/er/b.txt", text);
  return folder;
}

async function write(path: string, text: string, isForced = false): Promise<void> {
  const folder = createFilled(path, text, isForced);
  await folder.finish(markOf).finally(() => folder.drop());
}

const EMPTY = { why: "an empty folder", make: (path: string) => mkdirSync(path) };
const WHOLE = { why: "a whole one of its kind", make: (path: string) => write(path, "old") };
const marked = (why: string, mark: string) => ({
  why,
  make: (path: string) => {
    mkdirSync(path);
    writeFileSync(join(path, "mark.json"), mark);
  },
});

describe("a folder that a command writes", () => {
  it("is in its place once it is finished, with every file by hash", async () => {
    const path = place();
    const folder = createFilled(path);
    expect(folder.put("a.txt", [Buffer.from("te"), Buffer.from("xt")])).toEqual({
      bytes: 4,
      sha256: sha256Hex("text"),
    });
    expect(existsSync(path), "not before").toBe(false);
    const files = await folder.finish(markOf);
    folder.drop();
    expect(files.map((file) => file.path)).toEqual(["a.txt", "deep/er/b.txt", "mark.json"]);
    const mark = { kind: "collection", files: files.slice(0, 2) };
    expect(JSON.parse(readFileSync(join(path, "mark.json"), "utf8"))).toEqual(mark);
    for (const file of files) expect(sha256Hex(readFileSync(join(path, file.path)))).toBe(file.sha256);
    expect(around(path)).toEqual(["out"]);
  });

  it("leaves nothing when it is dropped, nor when the process exits", () => {
    const path = place();
    const before = process.listeners("exit");
    createFilled(path).drop();
    expect(around(path)).toEqual([]);
    const folder = createFilled(path);
    expect(around(path)).toEqual(["out.r.partial"]);
    for (const listener of process.listeners("exit"))
      if (!before.includes(listener)) listener.call(process, 130);
    expect(around(path)).toEqual([]);
    folder.drop();
    expect(process.listeners("exit")).toEqual(before);
  });

  it.each([{ why: "a file", make: (path: string) => writeFileSync(path, "") }, EMPTY, WHOLE])(
    "stays away from $why without --force",
    async ({ make }) => {
      const path = place();
      await make(path);
      await expect(write(path, "new")).rejects.toThrow(refusal("BAD_OPTION"));
      expect(around(path)).toEqual(["out"]);
    },
  );

  it.each([EMPTY, WHOLE])("replaces $why with --force, as a whole", async ({ make }) => {
    const path = place();
    await make(path);
    if (existsSync(join(path, "mark.json"))) writeFileSync(join(path, "stray"), "");
    await write(path, "new", true);
    expect(readFileSync(join(path, "deep/er/b.txt"), "utf8")).toBe("new");
    expect(readdirSync(path)).toEqual(["deep", "mark.json"]);
    expect(around(path)).toEqual(["out"]);
  });

  it.each([
    { why: "a file", make: (path: string) => writeFileSync(path, "mine") },
    marked("a folder of another kind", '{"kind":"diary"}'),
    marked("a folder whose mark has no kind", "{}"),
    marked("a folder whose mark is no JSON", "{"),
    {
      why: "a link to one of its kind",
      make: async (path: string) => {
        await write(`${path}-real`, "theirs");
        symlinkSync(`${path}-real`, path);
      },
    },
  ])("never replaces $why", async ({ make }) => {
    const path = place();
    await make(path);
    const before = readdirSync(dirname(path), { recursive: true });
    await expect(write(path, "new", true)).rejects.toThrow(refusal("BAD_OPTION"));
    expect(readdirSync(dirname(path), { recursive: true })).toEqual(before);
  });

  it("does not replace what came into its place meanwhile", async () => {
    const path = place();
    const folder = createFilled(path);
    mkdirSync(path);
    writeFileSync(join(path, "mine"), "");
    await expect(folder.finish(markOf)).rejects.toThrow(refusal("BAD_OPTION"));
    folder.drop();
    expect(around(path)).toEqual(["out"]);
    expect(readdirSync(path)).toEqual(["mine"]);
  });

  it("says which file cannot be written, leaves what was there, and lets faults of what is written through", async () => {
    const path = place();
    await write(path, "old");
    const folder = createFilled(path, "new", true);
    expect(() => folder.putText("deep/er/b.txt", "twice")).toThrow(
      expect.objectContaining({
        code: "OUTPUT_FAILED",
        message: "deep/er/b.txt cannot be written (EEXIST)",
      }),
    );
    function* broken(): Generator<Uint8Array> {
      yield Buffer.from("x");
      throw new RangeError("ours");
    }
    expect(() => folder.put("c.txt", broken())).toThrow(RangeError);
    folder.drop();
    expect(around(path)).toEqual(["out"]);
    expect(readFileSync(join(path, "deep/er/b.txt"), "utf8")).toBe("old");
  });

  it("makes the folders above it, or refuses with the code of its kind", () => {
    const output = { path: join(place(), "deep"), isForced: false, runId: "r" };
    expect(() => createOutputFolder(output, { ...KIND, failure: "BAD_OPTION" })).toThrow(
      refusal("BAD_OPTION"),
    );
    const folder = createOutputFolder(output, { ...KIND, makesParents: true });
    expect(around(output.path)).toEqual(["deep.r.partial"]);
    folder.drop();
  });
});
