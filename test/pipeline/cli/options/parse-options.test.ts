import { describe, expect, it } from "vitest";
import { asOfMsOf } from "../../../../pipeline/cli/options/parse-options.ts";
import { threadsOf } from "../../../../pipeline/cli/options/settings.ts";
import { parseBaseUrl } from "../../../../pipeline/tools/tool-options.ts";

const NOW_MS = Date.parse("2100-06-01T12:00:00Z");
const context = { nowMs: () => NOW_MS, environment: {} };

describe("--as-of", () => {
  it.each([
    { why: "by default now", flags: {}, environment: {}, is: NOW_MS },
    { why: "the first moment", flags: { asOf: "2015-01-01T00:00:00Z" }, is: Date.parse("2015-01-01") },
    { why: "the end of the last day", flags: { asOf: "2099-12-31" }, is: Date.parse("2100-01-01") - 1 },
    {
      why: "the variable",
      flags: {},
      environment: { GOVDATA_AS_OF: "2026-04-28" },
      is: Date.parse("2026-04-29") - 1,
    },
    {
      why: "the option before the variable",
      flags: { asOf: "2026-04-28" },
      environment: { GOVDATA_AS_OF: "x" },
      is: Date.parse("2026-04-29") - 1,
    },
  ])("is $why", ({ flags, environment = {}, is }) => {
    expect(asOfMsOf(flags, { ...context, environment })).toBe(is);
  });

  it.each([
    { why: "no day", asOf: "2026-02-30", says: "--as-of is not a moment from 2015 to 2099" },
    { why: "too early", asOf: "2014-12-31", says: "--as-of is not a moment from 2015 to 2099" },
    { why: "too late", asOf: "2100-01-01", says: "--as-of is not a moment from 2015 to 2099" },
    { why: "the future", asOf: "2099-01-01", nowMs: 0, says: "--as-of is in the future" },
  ])("is refused: $why", ({ asOf, nowMs = NOW_MS, says }) => {
    expect(() => asOfMsOf({ asOf }, { ...context, nowMs: () => nowMs })).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: says }),
    );
  });
});

describe("--threads", () => {
  it.each([
    { given: "0", threads: 0, why: "low: all in one thread" },
    { given: "2", threads: 2, why: "as asked, whatever the machine has" },
    { given: "16", threads: 16, why: "high" },
    { given: undefined, threads: 0, why: "gap: what runs from its sources starts none by itself" },
  ])("$given is $threads ($why)", ({ given, threads }) => expect(threadsOf({}, given)).toBe(threads));

  it.each(["17", "-1", "1.5", "two", ""])("refuses %j", (given) =>
    expect(() => threadsOf({}, given)).toThrow(
      expect.objectContaining({
        code: "BAD_OPTION",
        message: "--threads is not a whole number from 0 to 16",
      }),
    ),
  );
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
    { why: "a place in a page", text: "https://b.example/#top" },
    { why: "a place of nothing", text: "https://b.example/#" },
    { why: "a name", text: "https://somebody@b.example/" },
    { why: "another scheme", text: "file:///tmp/" },
    { why: "nothing", text: "" },
  ])("is refused: $why", ({ text }) => {
    expect(() => parseBaseUrl("--base-url", text)).toThrow(
      expect.objectContaining({ code: "BAD_OPTION", message: "--base-url is not the URL of a web folder" }),
    );
  });
});
