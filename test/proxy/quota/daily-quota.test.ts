import { describe, expect, it } from "vitest";
import { closedDayWarning, quotaDayOf } from "../../../proxy/quota/daily-quota.ts";

describe("quotaDayOf", () => {
  it.each([
    { at: "2026-04-01T00:00:00.000Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 86_400 },
    { at: "2026-04-01T12:00:00.001Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 43_200 },
    { at: "2026-04-01T23:59:58.500Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 2 },
    { at: "2026-04-01T23:59:59.999Z", day: "2026-04-01", reset: "2026-04-02T00:00:00.000Z", seconds: 1 },
    { at: "2026-12-31T23:59:59.999Z", day: "2026-12-31", reset: "2027-01-01T00:00:00.000Z", seconds: 1 },
    { at: "2024-02-29T06:00:00.000Z", day: "2024-02-29", reset: "2024-03-01T00:00:00.000Z", seconds: 64_800 },
  ])("$at", ({ at, day, reset, seconds }) => {
    expect(quotaDayOf(Date.parse(at))).toEqual({
      day,
      resetAtMs: Date.parse(reset),
      secondsToReset: seconds,
    });
  });
});

describe("closedDayWarning", () => {
  const says = "since a restore every account is at its limit until 2026-04-02T00:00:00.000Z";
  it.each([
    { why: "none was ever closed", day: undefined, now: "2026-04-01T12:00:00Z", says: undefined },
    { why: "the day before it", day: "2026-04-01", now: "2026-03-31T23:59:59.999Z", says },
    { why: "its first moment", day: "2026-04-01", now: "2026-04-01T00:00:00Z", says },
    { why: "its last moment", day: "2026-04-01", now: "2026-04-01T23:59:59.999Z", says },
    { why: "the moment it is over", day: "2026-04-01", now: "2026-04-02T00:00:00Z", says: undefined },
  ])("speaks while a closed day is not over: $why", ({ day, now, says: expected }) => {
    expect(closedDayWarning(day, Date.parse(now))).toBe(expected);
  });
});
