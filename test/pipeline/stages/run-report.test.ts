import { describe, expect, it } from "vitest";
import { formatStages } from "../../../pipeline/cli/commands/run.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { buildRunReport, createStageClock, manifestSources } from "../../../pipeline/stages/run-report.ts";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { publishedSet } from "../../support/published-set.ts";
import { fakeWarehouse, fetchRecord } from "./fake-warehouse.ts";

const registry: Registry = {
  daos: ["a.example", "b.example"].map((spaceId) => ({
    spaceId,
    name: spaceId,
    category: "defi" as const,
    governor: undefined,
  })),
  entities: [],
};
const holding = (spaceId: string, fetchedAt: string, more: object = {}) => ({
  spaceId,
  sourceId: "archive",
  fetchedAtMs: Date.parse(fetchedAt),
  proposals: 2,
  votes: 10,
  ...more,
});
const rejection = (spaceId: string, line: number | undefined) => ({
  spaceId,
  sourceId: "archive",
  file: `votes/${spaceId}.ndjson`,
  line,
  code: "BAD_JSON",
  message: "not JSON",
});

describe("the sources of a version", () => {
  it.each([
    { why: "nothing held, nothing given", holdings: [], is: [] },
    {
      why: "what is held of the tracked DAOs, dated by the newest",
      holdings: [
        holding("a.example", "2026-10-30T00:00:00.000Z"),
        holding("b.example", "2026-10-31T00:00:00.000Z"),
        holding("dropped.example", "2026-11-01T00:00:00.000Z"),
      ],
      is: [
        { source_id: "archive", fetched_at: "2026-10-31T00:00:00.000Z", spaces: 2, proposals: 4, votes: 20 },
      ],
    },
    {
      why: "each source on its own, by name",
      holdings: [
        holding("a.example", "2026-10-30T00:00:00.000Z"),
        holding("b.example", "2026-10-31T00:00:00.000Z", { sourceId: "a-hub", votes: 1 }),
      ],
      is: [
        { source_id: "a-hub", fetched_at: "2026-10-31T00:00:00.000Z", spaces: 1, proposals: 2, votes: 1 },
        { source_id: "archive", fetched_at: "2026-10-30T00:00:00.000Z", spaces: 1, proposals: 2, votes: 10 },
      ],
    },
  ])("are $why", ({ holdings, is }) => {
    expect(manifestSources(fakeWarehouse({ holdings: () => holdings }), registry)).toEqual(is);
  });
});

describe("the report of a run", () => {
  const set = publishedSet();
  const report = buildRunReport({
    runId: "0123456789abcdef",
    startedAtMs: Date.parse("2026-11-01T06:00:00.000Z"),
    fetched: {
      traffic: [{ sourceId: "snapshot-hub", requests: 12, retries: 2, bytes: 3456, rateLimited: 1 }],
      names: { hasNode: true, asked: 5, found: 2, without: 2, failed: 1, skipped: 7 },
    },
    finishedAtMs: Date.parse("2026-11-01T06:00:01.500Z"),
    lists: set,
    listingsCount: set.listings.length,
    registry,
    warehouse: fakeWarehouse({
      fetchRecords: () => [
        fetchRecord({ spaceId: "a.example", votes: 9, rejected: { BAD_JSON: 2, POWER_INVALID: 1 } }),
        fetchRecord({
          spaceId: "b.example",
          status: "failed",
          error: { code: "SOURCE_FAILED", message: "votes/b.example.ndjson: cut" },
          rejected: { BAD_JSON: 1200 },
        }),
        fetchRecord({ spaceId: "dropped.example", rejected: { BAD_JSON: 5 } }),
      ],
      rejections: () => [
        rejection("a.example", 3),
        rejection("b.example", undefined),
        rejection("dropped.example", 1),
      ],
    }),
    findings: [{ code: "AS_OF_FAR", space_id: null, message: "far" }],
    stages: [{ stage: "fetch", wallMs: 12.6 }],
  });

  it("has its published shape", () => {
    expect(RunReport.parse(report)).toEqual(report);
  });

  it("tells what came in and why not, of the DAOs that are tracked", () => {
    expect(report.fetches.map((fetch) => [fetch.space_id, fetch.status, fetch.error])).toEqual([
      ["a.example", "complete", null],
      ["b.example", "failed", { code: "SOURCE_FAILED", message: "votes/b.example.ndjson: cut" }],
    ]);
    expect(report.rejected.map(({ space_id, file, line }) => [space_id, file, line])).toEqual([
      ["a.example", "votes/a.example.ndjson", 3],
      ["b.example", "votes/b.example.ndjson", null],
    ]);
    expect(report.rejected_total, "those that are not listed count too").toBe(1203);
  });

  it("counts what went out, and how long it took", () => {
    expect(report).toMatchObject({
      as_of: set.asOf,
      started_at: "2026-11-01T06:00:00.000Z",
      finished_at: "2026-11-01T06:00:01.500Z",
      counts: {
        daos_tracked: 2,
        daos_scored: set.daos.length,
        daos_unscored: set.unscored.length,
        entities_published: set.entities.length,
        delegate_listings: set.listings.length,
      },
      findings: [{ code: "AS_OF_FAR" }],
      stages: [{ stage: "fetch", wall_ms: 13 }],
      traffic: [{ source_id: "snapshot-hub", requests: 12, retries: 2, bytes: 3456, rate_limited: 1 }],
      names: { asked: 5, found: 2, without: 2, failed: 1, skipped: 7 },
    });
  });
});

describe("the clock of a run", () => {
  function clockOf(processorMs?: () => number) {
    let nowMs = 0;
    const pass = (ms: number): void => {
      nowMs += ms;
    };
    return { clock: createStageClock({ nowMs: () => nowMs, ...(processorMs && { processorMs }) }), pass };
  }

  it("notes what each stage took, in their order", () => {
    let spentMs = 10;
    const { clock, pass } = clockOf(() => spentMs);
    const endFetch = clock.begin("fetch");
    pass(500);
    endFetch(3_000_000);
    const endScore = clock.begin("score");
    pass(1_500);
    spentMs += 2_900;
    endScore(700);
    expect(clock.stages()).toEqual([
      { stage: "fetch", wallMs: 500, processorMs: 0, bytes: 3_000_000 },
      { stage: "score", wallMs: 1_500, processorMs: 2_900, bytes: 700 },
    ]);
    expect(formatStages(clock.stages()).split("\n").slice(0, 4)).toEqual([
      "stage  seconds    share  processor s   bytes",
      "fetch     0.50   25.0 %         0.00  3.0 MB",
      "score     1.50   75.0 %         2.90   700 B",
      "all       2.00  100.0 %         2.90",
    ]);
  });

  it("tells no processor time where nobody measures it, and no stage that has not ended", () => {
    const { clock, pass } = clockOf();
    const endGate = clock.begin("gate");
    pass(20);
    endGate();
    clock.begin("publish");
    expect(clock.stages()).toEqual([{ stage: "gate", wallMs: 20 }]);
    expect(formatStages([])).toContain("all");
  });
});
