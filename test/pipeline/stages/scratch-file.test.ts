import fs, { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { readBack, type ScratchFile, withScratch } from "../../../pipeline/stages/scratch-file.ts";

const homeDirectory = mkdtempSync(join(tmpdir(), "govdata-scratch-"));
afterAll(() => rmSync(homeDirectory, { recursive: true, force: true }));
const settingsOf = (home: string): Settings => ({
  homeDirectory: home,
  snapshotsDirectory: join(home, "published"),
  registryPath: undefined,
  packageDirectory: home,
});
const settings = settingsOf(homeDirectory);

const { writeSync } = fs;
type Write = (file: number, bytes: Uint8Array, from: number, length: number, at: number) => number;

/** Lets the disk do otherwise with what is written to it, up to the end of the test. */
function writeBy(write: Write): void {
  fs.writeSync = write as typeof writeSync;
  syncBuiltinESMExports();
}
afterEach(() => writeBy(writeSync as Write));

describe("withScratch", () => {
  it("gives back what was put aside, in any order and as often as it is asked for", async () => {
    const values = [{ votes: 10n, of: new Map([["a", Number.NaN]]) }, "x".repeat(1 << 20), [], undefined];
    await withScratch(settings, async (scratch) => {
      const aside = values.map((value) => scratch.putAside(serialize(value)));
      for (const turn of [aside.toReversed(), aside]) {
        for (const put of turn) {
          const value = values[aside.indexOf(put)];
          expect(readBack(scratch.descriptor, put)).toEqual(value);
        }
      }
    });
  });

  it("gives it back where the disk takes a part of it at a time", async () => {
    let writes = 0;
    writeBy((file, bytes, from, length, at) => {
      writes += 1;
      return writeSync(file, bytes, from, Math.min(length, 7), at);
    });
    await withScratch(settings, async (scratch) => {
      const [one, two] = ["one after the other", "and the next"].map((text) =>
        scratch.putAside(serialize(text)),
      );
      expect([one, two].map((put) => put && readBack(scratch.descriptor, put))).toEqual([
        "one after the other",
        "and the next",
      ]);
      expect(writes, "it was written in parts").toBeGreaterThan(4);
    });
  });

  it("lets another thread of the process read it", async () => {
    const read = `
      const { parentPort, workerData: { descriptor, at, length } } = require("node:worker_threads");
      const bytes = Buffer.alloc(length);
      require("node:fs").readSync(descriptor, bytes, 0, length, at);
      parentPort.postMessage(require("node:v8").deserialize(bytes));`;
    await withScratch(settings, async (scratch) => {
      scratch.putAside(serialize("before it"));
      const put = scratch.putAside(serialize({ asked: "by a thread" }));
      const worker = new Worker(read, { eval: true, workerData: { ...put, descriptor: scratch.descriptor } });
      const said = await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
      expect(said).toEqual({ asked: "by a thread" });
    });
  });

  it("leaves no file in the home, not even while it is open, and stumbles over none that a crash left", async () => {
    writeFileSync(join(homeDirectory, `.scratch-${process.pid}`), "");
    const before = readdirSync(homeDirectory);
    const names = await withScratch(settings, async (scratch) => {
      scratch.putAside(serialize("something"));
      return readdirSync(homeDirectory);
    });
    expect(names).toEqual(before);
    expect(readdirSync(homeDirectory)).toEqual(before);
  });

  it("is closed at the end, also of work that fails", async () => {
    let kept: ScratchFile | undefined;
    const failing = withScratch(settings, async (scratch) => {
      kept = scratch;
      throw new Error("the work failed");
    });
    await expect(failing).rejects.toThrow("the work failed");
    expect(() => kept?.putAside(serialize("too late"))).toThrow("EBADF");
  });

  it("does not give less than was put aside", async () => {
    await withScratch(settings, async (scratch) => {
      const { at, length } = scratch.putAside(serialize("short"));
      expect(() => readBack(scratch.descriptor, { at, length: length + 1 })).toThrow(
        "shorter than what was stored",
      );
    });
  });

  it.each([
    { why: "is missing", home: join(homeDirectory, "nowhere"), code: "ENOENT" },
    { why: "is a file", home: join(homeDirectory, `.scratch-${process.pid}`), code: "ENOTDIR" },
  ])("says that the home cannot be used where it $why", async ({ home, code }) => {
    let isBegun = false;
    const opened = withScratch(settingsOf(home), async () => {
      isBegun = true;
    });
    await expect(opened).rejects.toMatchObject({
      code: "HOME_INVALID",
      message: expect.stringContaining(`(${code})`),
    });
    expect(isBegun).toBe(false);
  });

  it("says that the disk is full where it is, at the write that no longer fits", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    const end = withScratch(settings, async (scratch) => {
      const put = scratch.putAside(serialize("fits"));
      writeBy(() => {
        throw full;
      });
      expect(() => scratch.putAside(serialize("does not"))).toThrow();
      expect(readBack(scratch.descriptor, put), "what was there stays").toBe("fits");
      scratch.putAside(serialize("does not"));
    });
    await expect(end).rejects.toMatchObject({
      code: "HOME_INVALID",
      message: expect.stringContaining("(ENOSPC)"),
      hint: expect.stringContaining("full"),
      cause: full,
    });
  });
});
