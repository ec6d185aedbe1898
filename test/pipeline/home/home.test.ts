import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { describe, expect, it, test } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import { openHomeWarehouse, registryPathOf } from "../../../pipeline/home/home.ts";
import { readHolder, whileLocked } from "../../../pipeline/home/lock.ts";
import { withStore } from "../../../pipeline/home/store-errors.ts";
import { Failure } from "../../../snapshots/base/failure.ts";
import { SNAPSHOT_ERROR_CODES, snapshotFailure } from "../../../snapshots/store/read/snapshot-error.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { testHome } from "./test-home.ts";

const caught = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

test("a new home is accessible to its owner alone, and an existing one keeps its mode", () => {
  const home = testHome();
  chmodSync(home.homeDirectory, 0o755);
  const made = { ...home, homeDirectory: join(home.homeDirectory, "deep", "home") };
  openHomeWarehouse(home).close();
  openHomeWarehouse(made).close();
  expect(statSync(home.homeDirectory).mode & 0o777).toBe(0o755);
  expect(statSync(made.homeDirectory).mode & 0o777).toBe(0o700);
  expect(statSync(join(home.homeDirectory, "warehouse.db")).mode & 0o777).toBe(0o600);
});

test("the registry in force is the one named, else the home's, else the curated one", () => {
  const home = testHome();
  expect(registryPathOf(home)).toBe(join(home.packageDirectory, "pipeline/registry/registry.yaml"));
  const registry = join(home.homeDirectory, "registry.yaml");
  writeFileSync(registry, "daos: []\n");
  expect(registryPathOf(home)).toBe(registry);
  expect(registryPathOf({ ...home, registryPath: "named.yaml" })).toBe("named.yaml");
});

describe("the publisher's lock", () => {
  it("keeps others from publishing, while the store may take it again", async () => {
    const settings = testHome();
    const result = await whileLocked(settings, async (disk) => {
      const other = () => createSnapshotDisk(settings.snapshotsDirectory).lock();
      expect(other).toThrow(expect.objectContaining({ code: "PUBLISH_LOCKED" }));
      disk.lock()();
      expect(other, "the store released only what it took").toThrow();
      return "first";
    });
    expect(result).toBe("first");
  });

  it("names the process that holds it and since when, as long as that is alive", async () => {
    const settings = testHome();
    const refusal = () => caught(whileLocked(settings, async () => "second"));
    await whileLocked(settings, async () => {
      expect(await refusal()).toMatchObject({
        code: "PUBLISH_LOCKED",
        message: expect.stringMatching(new RegExp(`: process ${pid}, since 20\\d\\d-.*Z$`)),
        hint: expect.stringContaining(`kill ${pid}`),
      });
      expect(readHolder(settings)).toMatchObject({ pid, isAlive: true });
      // The note of a killed process, and invalid ones.
      for (const note of ['{"pid":4194999}', "{}", ""]) {
        writeFileSync(join(settings.homeDirectory, "running.json"), note);
        const error = await refusal();
        expect(error).toMatchObject({ message: expect.not.stringContaining("since") });
      }
    });
    expect(readHolder(settings)).toBeUndefined();
    expect(readdirSync(settings.homeDirectory), "the note is deleted").toEqual([]);
  });

  it("is released, however the work ends", async () => {
    const settings = testHome();
    const fault = new Error("in the middle");
    expect(await caught(whileLocked(settings, () => Promise.reject(fault)))).toBe(fault);
    expect(await whileLocked(settings, async () => "next")).toBe("next");
  });

  it("fails without a path if the snapshot root cannot be made", async () => {
    const home = testHome({ file: "" });
    const settings = { ...home, snapshotsDirectory: join(home.homeDirectory, "file", "published") };
    expect(await caught(whileLocked(settings, async () => "never"))).toMatchObject({
      code: "PUBLISH_FAILED",
      message: "could not make the snapshot root (ENOTDIR)",
    });
  });
});

describe("withStore", () => {
  it.each(SNAPSHOT_ERROR_CODES)(
    "turns %s of the store into an error of the pipeline with a hint",
    async (code) => {
      const refusal = snapshotFailure(code, "daos.json: is missing");
      const error = await caught(withStore(() => Promise.reject(refusal)));
      expect(error).toBeInstanceOf(Failure);
      const hint = expect.stringMatching(/\S/);
      expect(error).toMatchObject({ message: "daos.json: is missing", hint, cause: refusal });
    },
  );

  it("passes on other errors and results", async () => {
    // The pipeline uses some codes of the store itself, with hints of its own.
    const locked = pipelineFailure("PUBLISH_LOCKED", "no", { hint: "Wait." });
    for (const fault of [new Error("a fault"), pipelineFailure("NOT_FOUND", "no"), locked])
      expect(await caught(withStore(() => Promise.reject(fault)))).toBe(fault);
    expect(await withStore(() => 7)).toBe(7);
  });
});
