import { describe, expect, it } from "vitest";
import { PipelineError } from "../../../pipeline/base/pipeline-error.ts";
import {
  createProgress,
  formatError,
  formatOrigin,
  type Terminal,
  tidyTerminal,
  type Verbosity,
} from "../../../pipeline/cli/terminal.ts";

/** A terminal that remembers, marking what went to stdout. */
function fakeTerminal(isErrTerminal: boolean): Terminal & { said(): string } {
  let all = "";
  return {
    out: (text) => {
      all += `<${text}>`;
    },
    err: (text) => {
      all += text;
    },
    isErrTerminal,
    hasColour: false,
    said: () => all,
  };
}

const CLEAR = "\r\u001B[2K";

describe("progress", () => {
  it.each<{ why: string; isErrTerminal: boolean; verbosity: Verbosity; says: string }>([
    {
      why: "one line, rewritten, on a terminal",
      isErrTerminal: true,
      verbosity: "normal",
      says: `${CLEAR}fetch 1/2 a: 3 votes${CLEAR}fetch 2/2 b: failed\n`,
    },
    {
      why: "a line a DAO in a log",
      isErrTerminal: false,
      verbosity: "normal",
      says: "fetch 1/2 a: 3 votes\nfetch 2/2 b: failed\n",
    },
    {
      why: "a line a DAO on a terminal too, when asked for",
      isErrTerminal: true,
      verbosity: "verbose",
      says: "fetch 1/2 a: 3 votes\nfetch 2/2 b: failed\n",
    },
    { why: "nothing on a terminal", isErrTerminal: true, verbosity: "quiet", says: "" },
    { why: "nothing in a log", isErrTerminal: false, verbosity: "quiet", says: "" },
  ])("is $why ($verbosity)", ({ isErrTerminal, verbosity, says }) => {
    const terminal = fakeTerminal(isErrTerminal);
    const progress = createProgress(tidyTerminal(terminal), verbosity);
    progress.step("fetch", 1, 2, "a", "3 votes");
    progress.step("fetch", 2, 2, "b", "failed");
    expect(terminal.said()).toBe(says);
  });

  it("stays within a line of 80 columns, or it could not be rewritten", () => {
    const terminal = fakeTerminal(true);
    createProgress(terminal, "normal").step("fetch", 1, 2, "a".repeat(100), "3 votes");
    expect(terminal.said()).toHaveLength(CLEAR.length + 79);
  });

  it.each<Verbosity>(["quiet", "normal", "verbose"])("warns, whatever is asked for (%s)", (verbosity) => {
    const terminal = fakeTerminal(false);
    createProgress(terminal, verbosity).warn("a: broke off", new Error("inside"));
    const [warning, ...origin] = terminal.said().trimEnd().split("\n");
    expect(warning).toBe("warning: a: broke off");
    expect(origin.length > 0, "where it comes from is for -v alone").toBe(verbosity === "verbose");
  });
});

describe("an open line of progress ends before anything else is said", () => {
  it.each([
    {
      why: "a warning",
      say: (terminal: Terminal) => createProgress(terminal, "normal").warn("w"),
      next: "warning: w\n",
    },
    { why: "an error", say: (terminal: Terminal) => terminal.err("error\n"), next: "error\n" },
    { why: "data", say: (terminal: Terminal) => terminal.out("table\n"), next: "<table\n>" },
  ])("$why", ({ say, next }) => {
    const terminal = fakeTerminal(true);
    const tidy = tidyTerminal(terminal);
    createProgress(tidy, "normal").step("score", 1, 2, "a", "gvs 5.00");
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
      error: new PipelineError("NOT_FOUND", "x is not there", { hint: "Look elsewhere." }),
      is: "error NOT_FOUND: x is not there\nLook elsewhere.\n",
    },
    {
      why: "expected, with nothing to do",
      error: new PipelineError("NOT_FOUND", "no"),
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
    const error = new PipelineError("NOT_FOUND", "no");
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
