import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";
import { afterAll, expect, test } from "vitest";
import { readHolder, whileLocked } from "../../../pipeline/home/lock.ts";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-locked-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const settingsOf = (snapshotsDirectory: string): Settings => ({
  homeDirectory: join(root, "home"),
  snapshotsDirectory,
  registryPath: undefined,
  packageDirectory: root,
});
const caught = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);
const published = join(root, "published");

test("nobody else publishes meanwhile, and the store may ask for the lock that is held", async () => {
  const answer = await whileLocked(settingsOf(published), async (disk) => {
    expect(() => createSnapshotDisk(published).lock()).toThrow(
      expect.objectContaining({ code: "PUBLISH_LOCKED" }),
    );
    disk.lock()();
    expect(() => createSnapshotDisk(published).lock(), "the store gave back what it asked for").toThrow();
    expect(await caught(whileLocked(settingsOf(published), async () => "second"))).toMatchObject({
      code: "PUBLISH_LOCKED",
    });
    return "first";
  });
  expect(answer).toBe("first");
});

test("who is refused is told which process is at work since when, as long as it is", async () => {
  const settings = settingsOf(join(root, "noted"));
  const note = join(settings.homeDirectory, "running.json");
  mkdirSync(settings.homeDirectory);
  await whileLocked(settings, async () => {
    expect(await caught(whileLocked(settings, async () => "second"))).toMatchObject({
      message: expect.stringMatching(new RegExp(`: process ${pid}, since 20\\d\\d-.*Z$`)),
      hint: expect.stringContaining(`kill ${pid}`),
    });
    expect(readHolder(settings)).toMatchObject({ pid, isAlive: true });
    // What a killed process left, and what is no note, say nothing.
    for (const left of ['{"pid":4194999}', "{}", ""]) {
      writeFileSync(note, left);
      const error = await caught(whileLocked(settings, async () => "second"));
      expect(error).toMatchObject({ message: expect.not.stringContaining("since") });
    }
  });
  expect(readHolder(settings)).toBeUndefined();
  rmSync(settings.homeDirectory, { recursive: true });
});

test("the lock is given back, however it ends", async () => {
  const fault = new Error("in the middle");
  expect(await caught(whileLocked(settingsOf(published), () => Promise.reject(fault)))).toBe(fault);
  expect(await whileLocked(settingsOf(published), async () => "next")).toBe("next");
});

test("a root that cannot be made is said by step and code, without a path", async () => {
  writeFileSync(join(root, "file"), "");
  const error = await caught(whileLocked(settingsOf(join(root, "file", "published")), async () => "never"));
  expect(error).toMatchObject({
    code: "PUBLISH_FAILED",
    message: "could not make the snapshot root (ENOTDIR)",
  });
});
