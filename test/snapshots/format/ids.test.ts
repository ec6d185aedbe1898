import { describe, expect, it } from "vitest";
import {
  dayEndMs,
  dayOf,
  EntityId,
  IsoDate,
  MethodologyVersion,
  ReasonCode,
  Sha256,
  SpaceId,
  Timestamp,
  timestampOf,
  VersionName,
  WalletAddress,
} from "../../../snapshots/format/ids.ts";

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
