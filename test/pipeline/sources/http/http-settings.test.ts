import { describe, expect, it } from "vitest";
import { httpSettings } from "../../../../pipeline/sources/http/http-settings.ts";

describe("httpSettings", () => {
  it("fills in what is not given", () => {
    expect(httpSettings({ attemptsMax: 2 })).toMatchObject({
      attemptsMax: 2,
      requestsPerMinute: 60,
      serverErrorAttemptsMax: 3,
    });
    expect(httpSettings({})).toMatchObject({ attemptsMax: 12 });
  });

  it.each([
    { why: "no rate", given: { requestsPerMinute: 0 }, says: "requestsPerMinute" },
    { why: "a rate below none", given: { requestsPerMinute: -1 }, says: "-1" },
    { why: "no number", given: { requestsPerMinute: Number.NaN }, says: "NaN" },
    { why: "no end", given: { responseBytesMax: Number.POSITIVE_INFINITY }, says: "responseBytesMax" },
    { why: "a time no timer can hold", given: { attemptTimeoutMs: 2 ** 31 }, says: "attemptTimeoutMs" },
    { why: "half an attempt", given: { attemptsMax: 1.5 }, says: "attemptsMax must be a whole number" },
    { why: "room for half", given: { concurrencyMax: 0.5 }, says: "concurrencyMax must be a whole number" },
  ])("refuses $why and names it", ({ given, says }) => {
    expect(() => httpSettings(given)).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: expect.stringContaining(says) }),
    );
  });
});
