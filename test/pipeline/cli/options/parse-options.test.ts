import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  parseAsOf,
  parseDay,
  parseWhole,
  parseWord,
} from "../../../../pipeline/cli/options/parse-options.ts";
import { isPipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { parseBaseUrl } from "../../../../pipeline/tools/tool-options.ts";

/** What an option's refusal says; fails where it is taken. */
function refusalOf(parse: () => unknown): { readonly code: string; readonly message: string } {
  try {
    parse();
  } catch (error) {
    if (isPipelineFailure(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("it was taken");
}

describe("--as-of", () => {
  it.each([
    { why: "a day stands for its end", text: "2026-04-28", is: "2026-04-28T23:59:59.999Z" },
    { why: "a leap day", text: "2024-02-29", is: "2024-02-29T23:59:59.999Z" },
    { why: "a moment to the millisecond", text: "2026-04-28T23:59:59.999Z", is: "2026-04-28T23:59:59.999Z" },
    { why: "a moment to the second", text: "2026-04-28T12:00:01Z", is: "2026-04-28T12:00:01.000Z" },
    { why: "a tenth of a second", text: "2026-04-28T12:00:01.5Z", is: "2026-04-28T12:00:01.500Z" },
    { why: "the first moment", text: "2015-01-01T00:00:00Z", is: "2015-01-01T00:00:00.000Z" },
    { why: "the last moment", text: "2099-12-31", is: "2099-12-31T23:59:59.999Z" },
  ])("$why", ({ text, is }) => {
    expect(new Date(parseAsOf(text)).toISOString()).toBe(is);
  });

  it.each([
    { why: "nothing", text: "" },
    { why: "a word", text: "yesterday" },
    { why: "a day that no calendar has", text: "2026-02-30" },
    { why: "a leap day of a common year", text: "2025-02-29" },
    { why: "a thirteenth month", text: "2026-13-01" },
    { why: "a day zero", text: "2026-04-00" },
    { why: "an hour that belongs to the next day", text: "2026-04-28T24:00:00Z" },
    { why: "a leap second", text: "2026-06-30T23:59:60Z" },
    { why: "a moment of that day in no zone", text: "2026-04-28T12:00:00" },
    { why: "another zone", text: "2026-04-28T12:00:00+02:00" },
    { why: "finer than a millisecond", text: "2026-04-28T12:00:00.0001Z" },
    { why: "seconds since 1970", text: "1777420799" },
    { why: "no leading zero", text: "2026-4-28" },
    { why: "something before it", text: " 2026-04-28" },
    { why: "a line after it", text: "2026-04-28\n" },
    { why: "before there was anything to vote on", text: "2014-12-31" },
    { why: "far away", text: "2100-01-01" },
    { why: "a year of five digits", text: "12026-04-28" },
  ])("is refused: $why", ({ text }) => {
    expect(refusalOf(() => parseAsOf(text))).toEqual({
      code: "BAD_OPTION",
      message: `--as-of "${text}" is not a moment from 2015 to 2099`,
    });
  });

  it("takes every moment as it is written", () => {
    const moment = fc.date({
      min: new Date("2015-01-01T00:00:00Z"),
      max: new Date("2099-12-31T23:59:59.999Z"),
    });
    fc.assert(
      fc.property(
        moment.filter((each) => !Number.isNaN(each.getTime())),
        (each) => {
          expect(parseAsOf(each.toISOString())).toBe(each.getTime());
        },
      ),
    );
  });
});

describe("a day", () => {
  it.each(["2026-04-28", "2024-02-29"])("is taken: %s", (text) => {
    expect(parseDay("--date", text)).toBe(text);
  });
  it.each(["", "2026-02-30", "2026-04-28T00:00:00Z", "latest", "../../2026-04-28"])(
    "is refused: %s",
    (text) => {
      expect(refusalOf(() => parseDay("--date", text)).message).toBe(
        `--date "${text}" is not a day (YYYY-MM-DD)`,
      );
    },
  );
});

describe("a whole number from 1 to 100", () => {
  it.each([
    { why: "lowest", text: "1", is: 1 },
    { why: "highest", text: "100", is: 100 },
    { why: "leading zeros", text: "007", is: 7 },
  ])("is taken: $why", ({ text, is }) => {
    expect(parseWhole("--limit", text, 1, 100)).toBe(is);
  });
  it.each(["0", "101", "-1", "1.5", "1e2", "0x10", "", " 5", "NaN", "99999999999"])(
    "is refused: %s",
    (text) => {
      expect(refusalOf(() => parseWhole("--limit", text, 1, 100))).toEqual({
        code: "BAD_OPTION",
        message: `--limit "${text}" is not a whole number from 1 to 100`,
      });
    },
  );
});

test("a word is one of those that are known, and the refusal lists them", () => {
  expect(parseWord("--source", "archive", ["archive", "hub"])).toBe("archive");
  for (const text of ["", "Archive", "archive ", "toString"]) {
    expect(refusalOf(() => parseWord("--source", text, ["archive", "hub"])).message).toBe(
      `--source "${text}" is not one of archive, hub`,
    );
  }
});

describe("the address of a folder on the web", () => {
  it.each([
    { why: "as it is", text: "https://b.example/report/", is: "https://b.example/report/" },
    { why: "ended by a slash", text: "http://b.example:8080/report", is: "http://b.example:8080/report/" },
    { why: "a host alone", text: "https://b.example", is: "https://b.example/" },
    { why: "a question mark that is none", text: "https://b.example/a%3F", is: "https://b.example/a%3F/" },
  ])("is taken: $why", ({ text, is }) => {
    expect(parseBaseUrl("--base-url", text)).toBe(is);
  });

  it.each([
    { why: "a query", text: "https://b.example/?x=1" },
    { why: "a query of nothing", text: "https://b.example/?" },
    { why: "a query of nothing behind a host", text: "https://b.example?" },
    { why: "a place in a page", text: "https://b.example/#top" },
    { why: "a place of nothing", text: "https://b.example/#" },
    { why: "both of nothing", text: "https://b.example/?#" },
    { why: "a name", text: "https://somebody@b.example/" },
    { why: "another scheme", text: "file:///tmp/" },
    { why: "nothing", text: "" },
  ])("is refused: $why", ({ text }) => {
    expect(refusalOf(() => parseBaseUrl("--base-url", text))).toEqual({
      code: "BAD_OPTION",
      message: "--base-url is not the URL of a web folder",
    });
  });
});
