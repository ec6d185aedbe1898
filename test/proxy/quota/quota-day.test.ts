import { describe, expect, it } from "vitest";
import { quotaDayOf } from "../../../proxy/quota/quota-day.ts";

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
