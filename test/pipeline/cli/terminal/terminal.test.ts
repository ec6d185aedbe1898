import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../pipeline/cli/terminal/progress.ts";
import {
  formatError,
  formatOrigin,
  type Terminal,
  tidyTerminal,
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

describe("an error", () => {
  const colourless = fakeTerminal(false);

  it.each([
    {
      why: "expected, with what to do",
      error: pipelineFailure("NOT_FOUND", "x is not there", { hint: "Look elsewhere." }),
      is: "error NOT_FOUND: x is not there\nLook elsewhere.\n",
    },
    {
      why: "expected, with nothing to do",
      error: pipelineFailure("NOT_FOUND", "no"),
      is: "error NOT_FOUND: no\n",
    },
    {
      why: "not foreseen, in one line",
      error: new TypeError("undefined is\n  not a vote"),
      is: "error UNEXPECTED: undefined is not a vote\nRun again with -v for details to report.\n",
    },
    {
      why: "no error at all",
      error: 7,
      is: "error UNEXPECTED: 7\nRun again with -v for details to report.\n",
    },
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
