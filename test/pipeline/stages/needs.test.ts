import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import { readState, updateState } from "../../../pipeline/home/state.ts";
import { assertSpaceToPublish, reportNeeds } from "../../../pipeline/stages/needs.ts";
import { makeStands } from "../cli/stand.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-needs-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let homes = 0;

type LastRun = NonNullable<ReturnType<typeof readState>["last_run"]>;

const LAST: LastRun = {
  daos: 100,
  fetch_ms: 20_000,
  publish_ms: 60_000,
  memory_bytes: 500_000_000,
  version_bytes: 300_000_000,
  home_bytes: 50_000_000,
};

/** A home whose last run took so much; one that never ran for `null`. */
function homeAfter(last: LastRun | null): Settings {
  homes += 1;
  const homeDirectory = join(root, `home-${homes}`);
  mkdirSync(homeDirectory);
  const settings = {
    homeDirectory,
    snapshotsDirectory: root,
    registryPath: undefined,
    packageDirectory: root,
  };
  if (last !== null) updateState(settings, { last_run: last });
  return settings;
}

/** A registry that tracks so many DAOs. */
const tracking = (daos: number): Registry => ({
  daos: Array.from({ length: daos }, (_, index) => ({
    spaceId: `dao-${index}.eth`,
    name: "DAO",
    category: "defi" as const,
    governor: undefined,
  })),
  entities: [],
});

function effectsWith(freeBytes?: () => number) {
  const steps: unknown[] = [];
  const progress = { step: (...args: unknown[]) => void steps.push(args), tick: () => {}, warn: () => {} };
  const effects: RunEffects = {
    nowMs: () => 0,
    runId: "0123456789abcdef",
    progress,
    ...(freeBytes === undefined ? {} : { freeBytes }),
  };
  return { effects, steps };
}

describe("reportNeeds", () => {
  it.each([
    {
      why: "as the last run",
      daos: 100,
      isFetching: true,
      says: { seconds: 80, memory_mb: 500, version_mb: 300, home_mb: 50 },
    },
    {
      why: "nothing is fetched",
      daos: 100,
      isFetching: false,
      says: { seconds: 60, memory_mb: 500, version_mb: 300, home_mb: 50 },
    },
    {
      why: "twice as many DAOs, of which no more is held at once",
      daos: 200,
      isFetching: true,
      says: { seconds: 160, memory_mb: 500, version_mb: 600, home_mb: 100 },
    },
    {
      why: "after a first version, of which nobody knows how much is linked next time",
      last: { ...LAST, version_bytes: null },
      daos: 100,
      isFetching: true,
      says: { seconds: 80, memory_mb: 500, home_mb: 50 },
    },
  ])("says what a run will need: $why", ({ last = LAST, daos, isFetching, says }) => {
    const { effects, steps } = effectsWith();
    reportNeeds(homeAfter(last), tracking(daos), effects, { isFetching });
    expect(steps).toEqual([["estimate", daos, daos, "the last run", says]]);
  });

  it.each([
    { why: "before the first run", last: null },
    { why: "after one of no DAO", last: { ...LAST, daos: 0 } },
    { why: "of what takes less than a minute", last: { ...LAST, publish_ms: 39_999 }, daos: 100 },
  ])("says nothing $why", ({ last, daos = 10 }) => {
    const { effects, steps } = effectsWith();
    reportNeeds(homeAfter(last), tracking(daos), effects, { isFetching: true });
    expect(steps).toEqual([]);
  });
});

describe("assertSpaceToPublish", () => {
  it.each([
    { why: "just enough", last: LAST, daos: 100, free: 350_000_000 },
    { why: "the first run", last: null, daos: 100, free: 0 },
    {
      why: "the second, as the first linked nothing",
      last: { ...LAST, version_bytes: null },
      daos: 100,
      free: 50_000_000,
    },
  ])("lets a run begin: $why", ({ last, daos, free }) => {
    const { effects } = effectsWith(() => free);
    expect(() => assertSpaceToPublish(homeAfter(last), tracking(daos), effects)).not.toThrow();
  });

  it("looks at no disk where nobody can", () => {
    expect(() => assertSpaceToPublish(homeAfter(LAST), tracking(100), effectsWith().effects)).not.toThrow();
  });

  it.each([
    { why: "a byte less", daos: 100, free: 349_999_999, says: "about 350 MB, but only 349 MB are free" },
    { why: "more DAOs", daos: 200, free: 400_000_000, says: "about 700 MB, but only 400 MB are free" },
  ])("stops a run that will not fit, and says what it takes: $why", ({ daos, free, says }) => {
    const { effects } = effectsWith(() => free);
    expect(() => assertSpaceToPublish(homeAfter(LAST), tracking(daos), effects)).toThrow(
      expect.objectContaining({
        code: "PUBLISH_FAILED",
        message: expect.stringContaining(says),
        hint: expect.stringContaining("Fetched data is kept"),
      }),
    );
  });
});

describe("a run", async () => {
  const { published } = await makeStands();

  it("remembers what it took, and the next one says it and stops where there is no room, keeping what is there", async () => {
    const stand = published();
    const settings = { ...homeAfter(null), homeDirectory: stand.home };
    const { last_run: last } = readState(settings);
    expect(last).toMatchObject({ daos: 2, version_bytes: null });
    expect(last?.home_bytes).toBeGreaterThan(0);
    if (last === null) throw new Error("the stand has published");
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
    expect(refused.stderr, "before any work").not.toContain("stage=fetch");
  });
});
