import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import { requirePassed } from "../../../pipeline/gate/require-passed.ts";
import { whileLocked } from "../../../pipeline/home/lock.ts";
import { outcomeText, readLastOutcome, recordingOutcome } from "../../../pipeline/home/state.ts";

const homeDirectory = mkdtempSync(join(tmpdir(), "govdata-outcome-"));
afterAll(() => rmSync(homeDirectory, { recursive: true, force: true }));
const settings = {
  homeDirectory,
  snapshotsDirectory: join(homeDirectory, "published"),
  registryPath: undefined,
  packageDirectory: homeDirectory,
};
const AT = "2026-11-21T19:26:00.000Z";
const effects = { nowMs: () => Date.parse(AT) };
const finding = (code: "VOTES_FELL" | "DAO_COUNT_FELL") => ({
  code,
  severity: "refuse" as const,
  message: "fewer: than before",
});

test.each([
  { why: "it published", action: () => {}, says: `published at ${AT}` },
  {
    why: "gates refused it, one of them twice",
    action: () => {
      const findings = [finding("VOTES_FELL"), finding("VOTES_FELL"), finding("DAO_COUNT_FELL")];
      requirePassed({ findings, checked: undefined });
    },
    says: `refused at ${AT}: VOTES_FELL, DAO_COUNT_FELL`,
  },
  {
    why: "the hub was away",
    action: () => {
      throw pipelineFailure("NOTHING_FETCHED", "nothing");
    },
    says: `failed at ${AT}: NOTHING_FETCHED`,
  },
  {
    why: "a fault of ours",
    action: () => {
      throw new Error("at some place");
    },
    says: `failed at ${AT}: UNEXPECTED`,
  },
])("how the last run ended is noted where $why, and goes on as it was", async ({ action, says }) => {
  await recordingOutcome(settings, effects, async () => action()).catch(() => undefined);
  const outcome = readLastOutcome(settings);
  expect(outcome === undefined ? "nothing" : outcomeText(outcome)).toBe(says);
});

test("a run that found another at work leaves the note of the one before", async () => {
  await recordingOutcome(settings, effects, async () => "done");
  const before = readFileSync(join(homeDirectory, "state.json"), "utf8");
  const locked = pipelineFailure("PUBLISH_LOCKED", "another");
  await expect(recordingOutcome(settings, effects, () => Promise.reject(locked))).rejects.toBe(locked);
  expect(readFileSync(join(homeDirectory, "state.json"), "utf8")).toBe(before);
});

test("a run that failed while another is at work leaves what is remembered to that one", async () => {
  await recordingOutcome(settings, effects, async () => "done");
  await whileLocked(settings, async () => {
    const failed = recordingOutcome(settings, effects, () => Promise.reject(new Error("before the lock")));
    await expect(failed).rejects.toThrow("before the lock");
  });
  expect(readLastOutcome(settings)).toMatchObject({ error: null });
});

test("a home that takes no note fails no run, and what is no note says nothing", async () => {
  const gone = { ...settings, homeDirectory: join(homeDirectory, "not", "there") };
  expect(await recordingOutcome(gone, effects, async () => "done")).toBe("done");
  expect(readLastOutcome(gone)).toBeUndefined();
  writeFileSync(join(homeDirectory, "state.json"), "{}");
  expect(readLastOutcome(settings)).toBeUndefined();
});
