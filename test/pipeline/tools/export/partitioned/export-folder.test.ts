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
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createExportFolder } from "../../../../../pipeline/tools/export/partitioned/export-folder.ts";
import { sha256Hex } from "../../../../../snapshots/format/canonical-json.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-export-folder-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A folder of its own around the one that is exported to. */
function place(): { readonly around: string; readonly path: string } {
  count += 1;
  const parent = join(root, String(count));
  mkdirSync(parent);
  return { around: parent, path: join(parent, "out") };
}

const bytes = (text: string) => [Buffer.from(text)];
const about = (files: readonly object[]) => ({ kind: "govdata-export", files });

async function exportOf(path: string, text: string, isForced = false): Promise<void> {
  const folder = createExportFolder({ path, isForced, runId: "r" });
  try {
    folder.put("deep/er/b.txt", bytes(text));
    folder.put("a.txt", bytes("first"));
    await folder.finish(about);
  } finally {
    folder.drop();
  }
}

describe("a folder of an export", () => {
  it("is in its place once it is finished, with every file by hash", async () => {
    const { around: parent, path } = place();
    const folder = createExportFolder({ path, isForced: false, runId: "r" });
    expect(folder.put("deep/er/b.txt", bytes("text"))).toEqual({ bytes: 4, sha256: sha256Hex("text") });
    expect(existsSync(path), "not before").toBe(false);
    folder.put("a.txt", bytes("first"));
    const files = await folder.finish(about);
    folder.drop();
    expect(files.map((file) => file.path)).toEqual(["a.txt", "deep/er/b.txt", "about.json"]);
    const said = JSON.parse(readFileSync(join(path, "about.json"), "utf8"));
    expect(said.files).toEqual(files.slice(0, 2));
    for (const file of files) expect(sha256Hex(readFileSync(join(path, file.path)))).toBe(file.sha256);
    expect(readdirSync(parent)).toEqual(["out"]);
  });

  it("leaves nothing when it is dropped, nor when the process exits", () => {
    const { around: parent, path } = place();
    const before = process.listeners("exit");
    createFilled(path).drop();
    expect(readdirSync(parent)).toEqual([]);
    const folder = createFilled(path);
    expect(readdirSync(parent)).toEqual(["out.r.partial"]);
    for (const listener of process.listeners("exit"))
      if (!before.includes(listener)) listener.call(process, 130);
    expect(readdirSync(parent)).toEqual([]);
    folder.drop();
    expect(process.listeners("exit")).toEqual(before);
  });

  it.each([
    { why: "a file", make: (path: string) => writeFileSync(path, "") },
    { why: "an empty folder", make: (path: string) => mkdirSync(path) },
    { why: "a whole earlier export", make: (path: string) => exportOf(path, "old") },
  ])("stays away from $why without --force", async ({ make }) => {
    const { around: parent, path } = place();
    await make(path);
    await expect(exportOf(path, "new")).rejects.toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    expect(readdirSync(parent)).toEqual(["out"]);
  });

  it.each([
    { why: "an empty folder", make: (path: string) => mkdirSync(path) },
    { why: "a whole earlier export", make: (path: string) => exportOf(path, "old") },
  ])("replaces $why with --force, as a whole", async ({ make }) => {
    const { around: parent, path } = place();
    await make(path);
    if (existsSync(join(path, "about.json"))) writeFileSync(join(path, "stray"), "");
    await exportOf(path, "new", true);
    expect(readFileSync(join(path, "deep/er/b.txt"), "utf8")).toBe("new");
    expect(readdirSync(path)).toEqual(["a.txt", "about.json", "deep"]);
    expect(readdirSync(parent)).toEqual(["out"]);
  });

  it.each([
    { why: "a file", make: (path: string) => writeFileSync(path, "mine") },
    {
      why: "a folder of something else",
      make: (path: string) => {
        mkdirSync(path);
        writeFileSync(join(path, "about.json"), '{"kind":"diary"}');
      },
    },
    {
      why: "a folder whose about.json is no JSON",
      make: (path: string) => {
        mkdirSync(path);
        writeFileSync(join(path, "about.json"), "{");
      },
    },
    {
      why: "a link to an export",
      make: async (path: string) => {
        await exportOf(`${path}-real`, "theirs");
        symlinkSync(`${path}-real`, path);
      },
    },
  ])("never replaces $why", async ({ make }) => {
    const { around: parent, path } = place();
    await make(path);
    const before = readdirSync(parent);
    await expect(exportOf(path, "new", true)).rejects.toThrow(
      expect.objectContaining({ code: "BAD_OPTION" }),
    );
    expect(readdirSync(parent)).toEqual(before);
  });

  it("does not replace what came into its place meanwhile", async () => {
    const { around: parent, path } = place();
    const folder = createFilled(path);
    mkdirSync(path);
    writeFileSync(join(path, "mine"), "");
    await expect(folder.finish(about)).rejects.toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    folder.drop();
    expect(readdirSync(parent)).toEqual(["out"]);
    expect(readdirSync(path)).toEqual(["mine"]);
  });

  it("says which file cannot be written, and lets faults of what is written through", () => {
    const { around: parent, path } = place();
    expect(() => createExportFolder({ path: join(path, "deep"), isForced: false, runId: "r" })).toThrow(
      expect.objectContaining({ code: "OUTPUT_FAILED" }),
    );
    const folder = createFilled(path);
    expect(() => folder.put("a.txt", bytes("twice"))).toThrow(
      expect.objectContaining({ code: "OUTPUT_FAILED", message: "a.txt cannot be written (EEXIST)" }),
    );
    function* broken(): Generator<Uint8Array> {
      yield Buffer.from("x");
      throw new RangeError("ours");
    }
    expect(() => folder.put("c.txt", broken())).toThrow(RangeError);
    folder.drop();
    expect(readdirSync(parent)).toEqual([]);
  });
});

function createFilled(path: string) {
  const folder = createExportFolder({ path, isForced: false, runId: "r" });
  folder.put("a.txt", bytes("first"));
  return folder;
}
