import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { readState, updateState } from "../../../pipeline/home/state.ts";
import { assertSpaceToPublish, reportNeeds } from "../../../pipeline/stages/needs.ts";
import { AS_OF, makeStands, NOW_MS } from "../cli/stand.ts";
import { recordedEffects, testHome } from "../home/test-home.ts";
import { settingsOf } from "./visited-version.ts";

type LastRun = NonNullable<ReturnType<typeof readState>["last_run"]>;

const LAST: LastRun = {
  daos: 100,
  fetch_ms: 20_000,
  publish_ms: 60_000,
  memory_bytes: 500_000_000,
  version_bytes: 300_000_000,
  home_bytes: 50_000_000,
};

/** A home with snapshots whose last run needed this; `null` for one that never ran. */
function homeAfter(last: LastRun | null) {
  const settings = testHome();
  mkdirSync(settings.snapshotsDirectory);
  if (last !== null) updateState(settings, { last_run: last });
  return settings;
}

/** A registry that tracks so many DAOs. */
const tracking = (daos: number): Registry => ({
  daos: Array.from({ length: daos }, (_, index) => ({
    ...{ spaceId: `dao-${index}.eth`, name: "DAO", category: "defi" as const, governor: undefined },
  })),
  entities: [],
});

describe("reportNeeds", () => {
  const needs = { seconds: 80, memory_mb: 500, version_mb: 300, home_mb: 50 };
  it.each([
    { why: "as the last run", facts: needs },
    { why: "nothing is fetched", isFetching: false, facts: { ...needs, seconds: 60 } },
    {
      why: "twice as many DAOs, of which no more are in memory at once",
      daos: 200,
      facts: { seconds: 160, memory_mb: 500, version_mb: 600, home_mb: 100 },
    },
    {
      why: "after a first version, when it is unknown how much will be linked",
      last: { ...LAST, version_bytes: null },
      facts: { seconds: 80, memory_mb: 500, home_mb: 50 },
    },
    { why: "before the first run", last: null },
    { why: "after a run without DAOs", last: { ...LAST, daos: 0 } },
    { why: "exactly a minute", last: { ...LAST, publish_ms: 40_000 }, facts: { ...needs, seconds: 60 } },
    { why: "less than a minute", last: { ...LAST, publish_ms: 39_999 } },
  ])("reports $facts: $why", ({ last = LAST, daos = 100, isFetching = true, facts }) => {
    const { effects, steps } = recordedEffects();
    reportNeeds(homeAfter(last), tracking(daos), effects, { isFetching });
    expect(steps).toEqual(facts === undefined ? [] : [["estimate", daos, daos, "the last run", facts]]);
  });
});

describe("assertSpaceToPublish", () => {
  const free = (bytes: number) => recordedEffects({ freeBytes: () => bytes }).effects;

  it.each([
    { why: "just enough", effects: free(350_000_000) },
    { why: "the first run", last: null, effects: free(0) },
    { why: "the first linked nothing", last: { ...LAST, version_bytes: null }, effects: free(50_000_000) },
    { why: "the free space cannot be told", effects: recordedEffects().effects },
  ])("lets a run begin: $why", ({ last = LAST, effects }) => {
    expect(() => assertSpaceToPublish(homeAfter(last), tracking(100), effects)).not.toThrow();
  });

  it.each([
    { why: "a byte less", daos: 100, bytes: 349_999_999, needed: "about 350 MB, but only 349 MB are free" },
    { why: "more DAOs", daos: 200, bytes: 400_000_000, needed: "about 700 MB, but only 400 MB are free" },
  ])("stops a run that will not fit: $why", ({ daos, bytes, needed }) => {
    expect(() => assertSpaceToPublish(homeAfter(LAST), tracking(daos), free(bytes))).toThrow(
      expect.objectContaining({ code: "PUBLISH_FAILED", message: expect.stringContaining(needed) }),
    );
  });
});

it("a publish stores its own time and keeps that of the fetch before it", async () => {
  const stand = (await makeStands()).published();
  const lastRun = () => readState(settingsOf(stand)).last_run;
  let atMs = NOW_MS;
  const nowMs = () => {
    atMs += 1;
    return atMs;
  };
  const asOf = ["--as-of", AS_OF];
  expect(await stand.govdata(["run", "--from", stand.archive, ...asOf], { nowMs })).toMatchObject({
    code: 0,
  });
  const { fetch_ms: fetchMs } = lastRun() ?? {};
  expect(fetchMs).toBeGreaterThan(0);
  expect(await stand.govdata(["publish", ...asOf], { nowMs })).toMatchObject({ code: 0 });
  expect(lastRun()).toMatchObject({ fetch_ms: fetchMs, publish_ms: expect.any(Number) });
  expect(lastRun()?.publish_ms).toBeGreaterThan(0);
});

it("a run stores what it needed; the next one reports it, and stops before any work if there is no space", async () => {
  const stand = (await makeStands()).published();
  const settings = settingsOf(stand);
  const { last_run: last } = readState(settings);
  if (last === null) throw new Error("the stand has published");
  expect(last).toMatchObject({ daos: 2, version_bytes: null });
  expect(last.home_bytes).toBeGreaterThan(0);
  updateState(settings, { last_run: { ...last, publish_ms: 60_000 } });
  const second = await stand.run();
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('stage=estimate done=2/2 space="the last run" seconds='),
  });
  expect(readState(settings).last_run?.version_bytes, "the second links").toBeGreaterThan(0);
  updateState(settings, { last_run: { ...last, version_bytes: Number.MAX_SAFE_INTEGER } });
  const refused = await stand.run();
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("error PUBLISH_FAILED: publishing takes about");
  expect(refused.stderr).toContain("Fetched data is kept; nothing was published.");
  expect(refused.stderr).not.toContain("stage=fetch");
  expect(await stand.govdata(["publish", "--as-of", AS_OF])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("error PUBLISH_FAILED: publishing takes about"),
  });
});
