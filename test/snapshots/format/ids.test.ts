import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Count,
  dayEndMs,
  dayOf,
  EntityId,
  IsoDate,
  MethodologyVersion,
  Percent,
  Rank,
  ReasonCode,
  RiskScore,
  roundTo,
  Score,
  ScoreDelta,
  Sha256,
  SpaceId,
  Timestamp,
  timestampOf,
  VersionName,
  WalletAddress,
} from "../../../snapshots/format/ids.ts";
import * as format from "../../../snapshots/format/index.ts";

const SHAPES = {
  SpaceId,
  EntityId,
  WalletAddress,
  IsoDate,
  Timestamp,
  Sha256,
  VersionName,
  MethodologyVersion,
  ReasonCode,
};

describe("ids", () => {
  it.each([
    {
      shape: "SpaceId",
      good: ["a", "snapshot.dcl.eth", "a..b", "0", "a".repeat(100)],
      bad: ["", "../x", ".a", "-a", "A", "a/b", "a\n", "a\0", "a".repeat(101), "é"],
    },
    {
      shape: "EntityId",
      good: [`ent_${"0".repeat(26)}`],
      bad: [`ent_${"0".repeat(25)}`, `ent_${"0".repeat(27)}`, `ent_${"A".repeat(26)}`, "0".repeat(30)],
    },
    {
      shape: "WalletAddress",
      good: [`0x${"a1".repeat(20)}`],
      // The second is a Starknet address: a voter, and no EVM wallet that could be published.
      bad: [
        `0x${"A1".repeat(20)}`,
        `0x${"0".repeat(24)}${"a".repeat(40)}`,
        `0x${"a".repeat(39)}`,
        "a".repeat(42),
        `0X${"a".repeat(40)}`,
      ],
    },
    {
      shape: "IsoDate",
      good: ["2024-02-29", "2026-12-31"],
      bad: ["2026-02-29", "2026-13-01", "2026-1-1", "20260101", "2026-01-01T00:00:00.000Z", ""],
    },
    {
      shape: "Timestamp",
      good: ["2026-01-01T00:00:00.000Z"],
      bad: [
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00.000+00:00",
        "2026-02-30T00:00:00.000Z",
        "2026-01-01T24:00:00.000Z",
        "2026-01-01",
      ],
    },
    { shape: "Sha256", good: ["0".repeat(64)], bad: ["0".repeat(63), "F".repeat(64), ""] },
    {
      shape: "VersionName",
      good: ["20261121T060000Z-3f9ac2d1"],
      bad: ["20261121T060000Z", "../20261121T060000Z-3f9ac2d1", "20261121T060000Z-3F9AC2D1", "current.json"],
    },
    { shape: "MethodologyVersion", good: ["1.0.0", "10.20.30"], bad: ["1.0", "v1.0.0", "1.0.0-beta"] },
    {
      shape: "ReasonCode",
      good: ["NO_VOTES", "A1"],
      bad: ["no_votes", "A", "1A", "A".repeat(65), "NO VOTES"],
    },
  ] as const)("$shape", ({ shape, good, bad }) => {
    for (const value of good) expect([value, SHAPES[shape].safeParse(value).success]).toEqual([value, true]);
    for (const value of bad) expect([value, SHAPES[shape].safeParse(value).success]).toEqual([value, false]);
  });
});

describe("moments", () => {
  it("are spelled in UTC with milliseconds", () => {
    expect(timestampOf(0)).toBe("1970-01-01T00:00:00.000Z");
    expect(dayOf(-1)).toBe("1969-12-31");
    expect(timestampOf(dayEndMs("2024-02-29"))).toBe("2024-02-29T23:59:59.999Z");
  });
});

describe("roundTo", () => {
  it.each([
    { why: "to the nearest", value: 4.494, decimals: 2, want: 4.49 },
    { why: "1.005 is a little less than it looks", value: 1.005, decimals: 2, want: 1 },
    { why: "an exact half goes up, as toFixed does", value: 0.125, decimals: 2, want: 0.13 },
    { why: "minus zero is zero", value: -0, decimals: 2, want: 0 },
    { why: "what rounds to minus zero is zero", value: -0.001, decimals: 2, want: 0 },
    { why: "one decimal", value: 41.25, decimals: 1, want: 41.3 },
  ])("$why", ({ value, decimals, want }) => {
    expect(Object.is(roundTo(value, decimals), want)).toBe(true);
  });

  const byDigits = (value: number, decimals: number) => Number(value.toFixed(decimals)) + 0;
  const nearHalves = fc
    .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.constantFrom(0.005, 0.05), fc.integer({ min: -3, max: 3 }))
    .map(([whole, half, ulps]) => whole / 100 + half + ulps * Number.EPSILON * Math.abs(whole));
  it.each([
    { why: "of every size", values: fc.double() },
    { why: "as scores and percentages are", values: fc.double({ min: -100, max: 100 }) },
    { why: "near the halves, on either side", values: nearHalves },
    { why: "rounded before", values: fc.integer({ min: -2e9, max: 2e9 }).map((cents) => cents / 100) },
  ])("is what writing the digits and reading them gives: numbers $why", ({ values }) => {
    fc.assert(
      fc.property(values, fc.nat({ max: 4 }), (value, decimals) => {
        expect(Object.is(roundTo(value, decimals), byDigits(value, decimals))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("rounds once and for all", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (value) => {
        const rounded = roundTo(value, 2);
        expect(Object.is(roundTo(rounded, 2), rounded)).toBe(true);
        expect(Math.abs(rounded - value)).toBeLessThanOrEqual(0.005 + 1e-9);
      }),
    );
  });
});

describe("published numbers", () => {
  const shapes = { Score, Percent, RiskScore, ScoreDelta, Count, Rank };
  it.each([
    {
      shape: "Score",
      good: [0, 0.01, 9.99, 10],
      bad: [-0.01, 10.01, 5.001, -0, Number.NaN, Number.POSITIVE_INFINITY, "5", null],
    },
    { shape: "Percent", good: [0, 33.33, 100], bad: [-0.01, 100.01, 33.333, -0, Number.NaN] },
    { shape: "RiskScore", good: [0, 41.5, 100], bad: [-0.1, 100.1, 41.55, -0] },
    { shape: "ScoreDelta", good: [-10, -0.12, 0, 10], bad: [-10.01, 10.01, 0.001, -0] },
    { shape: "Count", good: [0, 1, Number.MAX_SAFE_INTEGER], bad: [-1, 0.5, Number.NaN, 1e300] },
    { shape: "Rank", good: [1, 2], bad: [0, -1, 1.5] },
  ] as const)("$shape", ({ shape, good, bad }) => {
    for (const value of good) expect([value, shapes[shape].safeParse(value).success]).toEqual([value, true]);
    for (const value of bad) expect([value, shapes[shape].safeParse(value).success]).toEqual([value, false]);
  });
});

const FOLDER = join(import.meta.dirname, "../../../snapshots/format");

/** Shapes of our own kitchen: what a reader meets is always a part of a named one. */
const INNER: ReadonlySet<string> = new Set(["Sha256", "WalletAddress"]);

/** What every file of the format exports, by name. */
async function everyExport(): Promise<ReadonlyMap<string, unknown>> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ts") && name !== "index.ts");
  const modules = await Promise.all(
    names.map((name): Promise<Record<string, unknown>> => import(join(FOLDER, name))),
  );
  return new Map(modules.flatMap((module) => Object.entries(module)));
}

describe("govdata/format", () => {
  it("gives every shape of the format and every set of words", async () => {
    const all = [...(await everyExport())];
    const wanted = all.filter(
      ([name, value]) =>
        !INNER.has(name) &&
        (value instanceof z.ZodType ||
          (Array.isArray(value) && value.every((word) => typeof word === "string"))),
    );
    expect(wanted.length, "the rule must have seen the format").toBeGreaterThan(50);
    const given: Readonly<Record<string, unknown>> = format;
    expect(wanted.filter(([name, value]) => given[name] !== value).map(([name]) => name)).toEqual([
      // A list made of a shape's own keys.
      "MEASURE_COLUMNS",
    ]);
  });

  it("gives shapes that are types as well", () => {
    const pointer: format.Pointer = format.Pointer.parse({
      format: format.FORMAT_VERSION,
      sequence: 1,
      version: "20261121T060000Z-3f9ac2d1",
      manifest: { sha256: "0".repeat(64), bytes: 0 },
      published_at: "2026-11-21T06:00:00.000Z",
    });
    const tier: format.AccessTier = format.ACCESS_TIERS[0];
    expect([pointer.sequence, tier, format.PATHS.daos]).toEqual([1, "free", "daos.json"]);
  });
});
