import { expect, test } from "vitest";
import { wantsColour } from "../../../../pipeline/cli/terminal/terminal.ts";

test.each([
  { why: "a terminal", isTerminal: true, argv: [], environment: {}, is: true },
  { why: "no terminal", isTerminal: false, argv: [], environment: {}, is: false },
  { why: "NO_COLOR", isTerminal: true, argv: [], environment: { NO_COLOR: "1" }, is: false },
  { why: "NO_COLOR of any text", isTerminal: true, argv: [], environment: { NO_COLOR: "0" }, is: false },
  {
    why: "NO_COLOR that is empty counts as not set",
    isTerminal: true,
    argv: [],
    environment: { NO_COLOR: "" },
    is: true,
  },
  { why: "--no-color", isTerminal: true, argv: ["status", "--no-color"], environment: {}, is: false },
  {
    why: "not even on a terminal that asks",
    isTerminal: false,
    argv: [],
    environment: { FORCE_COLOR: "1" },
    is: false,
  },
])("$why: $is", ({ is, ...given }) => {
  expect(wantsColour(given)).toBe(is);
});
