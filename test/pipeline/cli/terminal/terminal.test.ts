import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../pipeline/cli/terminal/progress.ts";
import {
  formatError,
  formatOrigin,
  type Terminal,
  tidyTerminal,
  wantsColour,
} from "../../../../pipeline/cli/terminal/terminal.ts";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { CLEAR, fakeTerminal } from "../fake-terminal.ts";

describe("an open line of progress ends before anything else is said", () => {
  it.each([
    {
      why: "a warning",
      say: (terminal: Terminal) => createProgress(terminal, "normal", () => 0).warn("w"),
      next: "warning: w\n",
    },
    { why: "an error", say: (terminal: Terminal) => terminal.err("error\n"), next: "error\n" },
    { why: "data", say: (terminal: Terminal) => terminal.out("table\n"), next: "<table\n>" },
  ])("$why", ({ say, next }) => {
    const terminal = fakeTerminal(true);
    const tidy = tidyTerminal(terminal);
    createProgress(tidy, "normal", () => 0).step("score", 1, 2, "a", { gvs: "5.00" });
    say(tidy);
    say(tidy);
    expect(terminal.said()).toBe(`${CLEAR}score 1/2 a: gvs 5.00\n${next}${next}`);
  });
});

describe("nothing from outside steers the terminal", () => {
  const HOSTILE = "a\u001B[2J\u001B]0;x\u0007\u202E\u009B1mb\r";
  const PLAIN = "a?[2J?]0;x???1mb?";

  it.each([
    { why: "data", say: (tidy: Terminal) => tidy.out(`${HOSTILE}\n`), says: `<${PLAIN}\n>` },
    {
      why: "a warning, with its origin",
      say: (tidy: Terminal) => createProgress(tidy, "verbose", () => 0).warn(HOSTILE, HOSTILE),
      says: `warning: ${PLAIN}\n${PLAIN}\n`,
    },
    {
      why: "progress",
      say: (tidy: Terminal) => createProgress(tidy, "normal", () => 0).step("fetch", 1, 1, HOSTILE, {}),
      says: `${CLEAR}fetch 1/1 ${PLAIN}: \n`,
    },
    {
      why: "an error, in our colours",
      say: (tidy: Terminal) => {
        const error = pipelineFailure("NOT_FOUND", HOSTILE, { hint: HOSTILE });
        tidy.err(formatError(error, { ...tidy, hasColour: true }));
      },
      says: `\u001B[31merror\u001B[39m NOT_FOUND: ${PLAIN}\n\u001B[2m${PLAIN}\u001B[22m\n`,
    },
  ])("$why", ({ say, says }) => {
    const terminal = fakeTerminal(true);
    say(tidyTerminal(terminal));
    expect(terminal.said()).toBe(says);
  });

  it.each([
    { why: "as it is to another file", columns: undefined, is: Buffer.from("a\u001Bä") },
    { why: "without what steers it to a terminal", columns: 80, is: "a?ä" },
  ])("and a file is written $why", ({ columns, is }) => {
    const written: unknown[] = [];
    const terminal = { ...fakeTerminal(false), columns, out: (data: unknown) => written.push(data) };
    tidyTerminal(terminal).out(Buffer.from("a\u001Bä"));
    expect(written).toEqual([is]);
  });
});

describe("an error", () => {
  const colourless = fakeTerminal(false);

  const NOT_EXPECTED = "Run again with -v for details to report.\n";
  it.each([
    {
      why: "is its code, message and hint",
      error: pipelineFailure("NOT_FOUND", "x is not there", { hint: "Look elsewhere." }),
      is: "error NOT_FOUND: x is not there\nLook elsewhere.\n",
    },
    { why: "may have no hint", error: pipelineFailure("NOT_FOUND", "no"), is: "error NOT_FOUND: no\n" },
    {
      why: "is one line if unexpected",
      error: new TypeError("undefined is\n  not a vote"),
      is: `error UNEXPECTED: undefined is not a vote\n${NOT_EXPECTED}`,
    },
    { why: "may be no error", error: 7, is: `error UNEXPECTED: 7\n${NOT_EXPECTED}` },
  ])("$why", ({ error, is }) => {
    expect(formatError(error, colourless)).toBe(is);
  });

  it("is red where colours are wanted, and nowhere else", () => {
    const error = pipelineFailure("NOT_FOUND", "no");
    expect(formatError(error, { ...colourless, hasColour: true })).toContain("\u001B[31merror");
    expect(formatError(error, colourless)).not.toContain("\u001B");
  });

  it("has its whole origin for whoever asks", () => {
    const inner = new Error("inner");
    const origin = formatOrigin(new Error("outer", { cause: inner }));
    expect(origin).toMatch(/^Error: outer\n\s+at .*cause: Error: inner\n\s+at /s);
    expect(formatOrigin("text")).toBe("text");
  });
});

it.each<[why: string, isTerminal: boolean, is: boolean, environment?: object, argv?: string[]]>([
  ["a terminal", true, true],
  ["no terminal", false, false],
  ["NO_COLOR", true, false, { NO_COLOR: "1" }],
  ["NO_COLOR of any text", true, false, { NO_COLOR: "0" }],
  ["NO_COLOR that is empty counts as not set", true, true, { NO_COLOR: "" }],
  ["--no-color", true, false, {}, ["status", "--no-color"]],
  ["FORCE_COLOR, which counts for nothing", false, false, { FORCE_COLOR: "1" }],
])("colours with %s", (_why, isTerminal, is, environment = {}, argv = []) => {
  expect(wantsColour({ isTerminal, argv, environment: { ...environment } })).toBe(is);
});
