import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Settings } from "../../../pipeline/run/settings.ts";
import { whileLocked } from "../../../pipeline/run/while-locked.ts";
import { acquirePublishLock } from "../../../snapshots/store/publish-lock.ts";

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
    expect(() => acquirePublishLock(published)).toThrow(expect.objectContaining({ code: "PUBLISH_LOCKED" }));
    disk.lock()();
    expect(() => acquirePublishLock(published), "the store gave back what it asked for").toThrow();
    expect(await caught(whileLocked(settingsOf(published), async () => "second"))).toMatchObject({
      code: "PUBLISH_LOCKED",
    });
    return "first";
  });
  expect(answer).toBe("first");
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
