import { describe, expect, it } from "vitest";
import {
  DAY,
  decimalNumber,
  duration,
  momentOf,
  parseValue,
  wholeNumber,
  wordOf,
} from "../../../../snapshots/base/command-line/values.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";

const DAYS = { ...duration(["d"], 400 * DAY_MS), wrong: "is not an age" };

describe.each([
  {
    kind: "a whole number",
    of: wholeNumber(1, 100),
    is: { "1": 1, "100": 100 },
    not: ["0", "101", "-1", "1.5", "1e2", "0x10", "007", "", " 5", "NaN", "99999999999999999999"],
  },
  {
    kind: "a decimal number",
    of: decimalNumber(0, 2),
    is: { "0": 0, "1.25": 1.25, "2": 2 },
    not: ["2.1", "1,5", "-1", ".5", "1e0", ""],
  },
  { kind: "a decimal number from a lowest", of: decimalNumber(0.5, 2), is: { "0.5": 0.5 }, not: ["0.4"] },
  {
    kind: "a word",
    of: wordOf(["archive", "hub"]),
    is: { hub: "hub" },
    not: ["", "Archive", "archive ", "toString"],
  },
  {
    kind: "a day",
    of: DAY,
    is: { "2026-04-28": "2026-04-28", "2024-02-29": "2024-02-29" },
    not: ["", "2026-02-30", "2026-04-28T00:00:00Z", "latest", "../../2026-04-28"],
  },
  {
    kind: "a duration",
    of: DAYS,
    is: { "0d": 0, "400d": 400 * DAY_MS },
    not: ["401d", "1h", "d", "1", "-1d", "01d", "1.5d", ""],
  },
])("$kind", ({ of, is, not }) => {
  it.each(Object.entries(is))("is read: %s", (text, value) => {
    expect(parseValue<unknown>(of, "--x", text)).toBe(value);
  });

  it.each(not)("is not: %j", (text) => {
    const refusal = expect.objectContaining({ code: "BAD_OPTION", message: `--x ${of.wrong}` });
    expect(() => parseValue<unknown>(of, "--x", text)).toThrow(refusal);
  });
});

describe("a moment", () => {
  it.each([
    ["2026-04-28", "2026-04-28T23:59:59.999Z"],
    ["2024-02-29", "2024-02-29T23:59:59.999Z"],
    ["2026-04-28T12:00:01Z", "2026-04-28T12:00:01.000Z"],
    ["2026-04-28T12:00:01.5Z", "2026-04-28T12:00:01.500Z"],
    ["2026-04-28T23:59:59.999Z", "2026-04-28T23:59:59.999Z"],
  ])("%s is %s", (text, moment) => {
    expect(momentOf(text)).toBe(Date.parse(moment));
  });

  it.each([
    "",
    "yesterday",
    "2026-02-30",
    "2025-02-29",
    "2026-13-01",
    "2026-04-00",
    "2026-04-28T24:00:00Z",
    "2026-06-30T23:59:60Z",
    "2026-04-28T12:00:00",
    "2026-04-28T12:00:00+02:00",
    "2026-04-28T12:00:00.0001Z",
    "1777420799",
    "2026-4-28",
    " 2026-04-28",
    "2026-04-28\n",
    "12026-04-28",
  ])("is not %j", (text) => {
    expect(momentOf(text)).toBeUndefined();
  });
});
