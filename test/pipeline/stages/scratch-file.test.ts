import fs, { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Settings } from "../../../pipeline/home/settings.ts";
import {
  putAside,
  readBack,
  type ScratchFile,
  scratchBytes,
  withScratch,
} from "../../../pipeline/stages/scratch-file.ts";

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
      const aside = values.map((value) => putAside(scratch, value));
      for (const turn of [aside.toReversed(), aside]) {
        for (const put of turn) {
          const value = values[aside.indexOf(put)];
          expect(readBack(scratch, put)).toEqual(value);
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
      const [one, two] = ["one after the other", "and the next"].map((text) => putAside(scratch, text));
      expect([one, two].map((put) => put && readBack(scratch, put))).toEqual([
        "one after the other",
        "and the next",
      ]);
      expect(writes, "it was written in parts").toBeGreaterThan(4);
    });
  });

  it("lets another thread of the process read it, and write where no other writes", async () => {
    const read = `
      const { parentPort, workerData: { descriptor, taken, at, length } } = require("node:worker_threads");
      Atomics.add(taken, 0, 100n);
      const bytes = Buffer.alloc(length);
      require("node:fs").readSync(descriptor, bytes, 0, length, at);
      parentPort.postMessage(require("node:v8").deserialize(bytes));`;
    await withScratch(settings, async (scratch) => {
      putAside(scratch, "before it");
      const put = putAside(scratch, { asked: "by a thread" });
      const worker = new Worker(read, { eval: true, workerData: { ...put, ...scratch } });
      const said = await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
      expect(said).toEqual({ asked: "by a thread" });
      expect(scratchBytes(scratch)).toBe(put.at + put.length + 100);
      expect(putAside(scratch, "after it").at).toBe(put.at + put.length + 100);
    });
  });

  it("leaves no file in the home, not even while it is open, and stumbles over none that a crash left", async () => {
    writeFileSync(join(homeDirectory, `.scratch-${process.pid}`), "");
    const before = readdirSync(homeDirectory);
    const names = await withScratch(settings, async (scratch) => {
      putAside(scratch, "something");
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
    expect(() => kept && putAside(kept, "too late")).toThrow("EBADF");
  });

  it("does not give less than was put aside", async () => {
    await withScratch(settings, async (scratch) => {
      const { at, length } = putAside(scratch, "short");
      expect(() => readBack(scratch, { at, length: length + 1 })).toThrow("shorter than what was stored");
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
      const put = putAside(scratch, "fits");
      writeBy(() => {
        throw full;
      });
      expect(() => putAside(scratch, "does not")).toThrow();
      expect(readBack(scratch, put), "what was there stays").toBe("fits");
      putAside(scratch, "does not");
    });
    await expect(end).rejects.toMatchObject({
      code: "HOME_INVALID",
      message: expect.stringContaining("(ENOSPC)"),
      hint: expect.stringContaining("full"),
      cause: full,
    });
  });
});
