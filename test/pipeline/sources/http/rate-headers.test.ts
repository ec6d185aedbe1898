import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowanceOf, retryAfterMs } from "../../../../pipeline/sources/http/rate-headers.ts";

const nowMs = Date.parse("2026-11-01T00:00:00Z");

describe("retryAfterMs", () => {
  it.each([
    { why: "no seconds", header: "0", want: 0 },
    { why: "seconds", header: "90", want: 90_000 },
    { why: "seconds with room around them", header: " 5 ", want: 5000 },
    { why: "very many seconds", header: "999999999", want: 999_999_999_000 },
    { why: "more digits than any wait has", header: "1".repeat(10), want: undefined },
    { why: "a date to come", header: "Sun, 01 Nov 2026 00:01:00 GMT", want: 60_000 },
    { why: "a date gone by", header: "Sat, 31 Oct 2026 00:01:00 GMT", want: 0 },
    { why: "a date that is none", header: "Sun, 01 Zzz 2026 00:01:00 GMT", want: undefined },
    { why: "a date in another form", header: "2026-11-01T00:01:00Z", want: undefined },
    { why: "parts of a second", header: "1.5", want: undefined },
    { why: "less than no time", header: "-1", want: undefined },
    { why: "several", header: "1, 2", want: undefined },
    { why: "an empty one", header: "", want: undefined },
    { why: "none", header: undefined, want: undefined },
  ])("$why", ({ header, want }) => {
    expect(retryAfterMs({ "retry-after": header }, nowMs)).toBe(want);
  });

  it("reads every date that HTTP can write, to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), (seconds) => {
        const header = new Date(nowMs + seconds * 1000).toUTCString();
        expect(retryAfterMs({ "retry-after": header }, nowMs)).toBe(seconds * 1000);
      }),
    );
  });
});

describe("allowanceOf", () => {
  const none = { pauseMs: undefined, keyRemaining: undefined };
  it.each([
    { why: "nothing is said", headers: {}, want: none },
    { why: "the last of a window", headers: window("0", "12"), want: { ...none, pauseMs: 12_000 } },
    { why: "one is left", headers: window("1", "12"), want: none },
    { why: "a window that is over", headers: window("0", "0"), want: none },
    { why: "no end of the window", headers: { "ratelimit-remaining": "0" }, want: none },
    { why: "words", headers: window("none", "soon"), want: none },
    { why: "less than nothing", headers: window("-1", "12"), want: none },
    { why: "what a key has left", headers: key("10", "7"), want: { ...none, keyRemaining: 7 } },
    { why: "a key that is used up", headers: key("10", "0"), want: { ...none, keyRemaining: 0 } },
    { why: "a key without a limit", headers: key("0", "0"), want: none },
    { why: "a key of words", headers: key("10", "many"), want: none },
  ])("$why", ({ headers, want }) => {
    expect(allowanceOf(headers)).toEqual(want);
  });
});

function window(remaining: string, reset: string) {
  return { "ratelimit-limit": "100", "ratelimit-remaining": remaining, "ratelimit-reset": reset };
}
function key(limit: string, remaining: string) {
  return { "x-api-key-limit": limit, "x-api-key-remaining": remaining };
}
