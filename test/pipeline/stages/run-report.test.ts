import { describe, expect, it } from "vitest";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { buildRunReport, createStageClock, manifestSources } from "../../../pipeline/stages/run-report.ts";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { publishedSet } from "../../support/published-set.ts";
import { dao } from "../warehouse/sample-facts.ts";
import { fetchRecord } from "./fake-warehouse.ts";

const registry: Registry = {
  daos: ["a.example", "b.example"].map(dao),
  entities: [],
};
const holding = (spaceId: string, fetchedAt: string, more: object = {}) => ({
  ...{ spaceId, sourceId: "archive", fetchedAtMs: Date.parse(fetchedAt), proposals: 2, votes: 10 },
  ...more,
});
const rejection = (spaceId: string, line: number | undefined) => ({
  ...{ spaceId, sourceId: "archive", file: `votes/${spaceId}.ndjson`, line },
  ...{ code: "BAD_JSON", message: "not JSON" },
});

it("the sources of a version are those of the tracked DAOs, by name, dated by the newest fetch", () => {
  const holdings = [
    holding("a.example", "2026-10-30T00:00:00.000Z"),
    holding("b.example", "2026-10-31T00:00:00.000Z"),
    holding("b.example", "2026-10-29T00:00:00.000Z", { sourceId: "a-hub", votes: 1 }),
    holding("dropped.example", "2026-11-01T00:00:00.000Z"),
  ];
  expect(manifestSources({ holdings: () => holdings }, registry)).toEqual([
    { source_id: "a-hub", fetched_at: "2026-10-29T00:00:00.000Z", spaces: 1, proposals: 2, votes: 1 },
    { source_id: "archive", fetched_at: "2026-10-31T00:00:00.000Z", spaces: 2, proposals: 4, votes: 20 },
  ]);
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
    warehouse: {
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
    },
    findings: [{ code: "AS_OF_FAR", space_id: null, message: "far" }],
    stages: [{ stage: "fetch", wallMs: 12.6 }],
  });

  it("has its published shape, of tracked DAOs alone", () => {
    expect(RunReport.parse(report)).toEqual(report);
    expect(report.fetches.map((fetch) => [fetch.space_id, fetch.status, fetch.error])).toEqual([
      ["a.example", "complete", null],
      ["b.example", "failed", { code: "SOURCE_FAILED", message: "votes/b.example.ndjson: cut" }],
    ]);
    expect(report.rejected.map(({ space_id, file, line }) => [space_id, file, line])).toEqual([
      ["a.example", "votes/a.example.ndjson", 3],
      ["b.example", "votes/b.example.ndjson", null],
    ]);
    expect(report.rejected_total, "rows that are only counted are included").toBe(1203);
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
  it("notes the duration of each ended stage, in order, and processor time only if it is measured", () => {
    const now = { wallMs: 0, processorMs: 10 };
    const clock = createStageClock({ nowMs: () => now.wallMs, processorMs: () => now.processorMs });
    const plain = createStageClock({ nowMs: () => now.wallMs });
    const endFetch = clock.begin("fetch");
    const endGate = plain.begin("gate");
    now.wallMs = 500;
    endFetch(3_000_000);
    endGate();
    const endScore = clock.begin("score");
    plain.begin("publish");
    now.wallMs = 2_000;
    now.processorMs = 2_910;
    endScore(700);
    expect(clock.stages()).toEqual([
      { stage: "fetch", wallMs: 500, processorMs: 0, bytes: 3_000_000 },
      { stage: "score", wallMs: 1_500, processorMs: 2_900, bytes: 700 },
    ]);
    expect(plain.stages()).toEqual([{ stage: "gate", wallMs: 500 }]);
  });
});
