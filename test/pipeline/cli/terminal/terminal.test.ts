import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../pipeline/cli/terminal/progress.ts";
import {
  formatError,
  formatOrigin,
  type Terminal,
  tidyTerminal,
  type Verbosity,
  wantsColour,
} from "../../../../pipeline/cli/terminal/terminal.ts";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";

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

/** Back to the start of the line, and nothing on it. */
const CLEAR = "\r\u001B[2K";

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

const LOG = "stage=fetch done=1/2 space=a votes=3\nstage=fetch done=2/2 space=b error=SOURCE_FAILED\n";

describe("progress", () => {
  const REWRITTEN = `${CLEAR}fetch 1/2 a: votes 3${CLEAR}fetch 2/2 b: error SOURCE_FAILED\n`;
  it.each<[why: string, isErrTerminal: boolean, verbosity: Verbosity, output: string]>([
    ["one line, rewritten, on a terminal", true, "normal", REWRITTEN],
    ["a line a DAO in a log", false, "normal", LOG],
    ["a line a DAO on a terminal with -v", true, "verbose", LOG],
    ["nothing on a terminal with -q", true, "quiet", ""],
    ["nothing in a log with -q", false, "quiet", ""],
  ])("is %s", (_why, isErrTerminal, verbosity, output) => {
    const terminal = fakeTerminal(isErrTerminal);
    const progress = createProgress(tidyTerminal(terminal), verbosity, () => 0);
    progress.step("fetch", 1, 2, "a", { votes: 3 });
    progress.step("fetch", 2, 2, "b", { error: "SOURCE_FAILED" });
    expect(terminal.said()).toBe(output);
  });

  it("stays within a line of 80 columns, or it could not be rewritten", () => {
    const terminal = fakeTerminal(true);
    createProgress(terminal, "normal", () => 0).step("fetch", 1, 2, "a".repeat(100), { votes: 3 });
    expect(terminal.said()).toHaveLength(CLEAR.length + 79);
  });

  it("quotes what would be two words in a log", () => {
    const terminal = fakeTerminal(false);
    createProgress(terminal, "normal", () => 0).step("check", 1, 1, "a", { is: 'not "there"', n: 1.5 });
    expect(terminal.said()).toBe('stage=check done=1/1 space=a is="not \\"there\\"" n=1.5\n');
  });

  it.each<Verbosity>(["quiet", "normal", "verbose"])("warns, whatever is asked for (%s)", (verbosity) => {
    const terminal = fakeTerminal(false);
    createProgress(terminal, verbosity, () => 0).warn("a: broke off", new Error("inside"));
    const [warning, ...origin] = terminal.said().trimEnd().split("\n");
    expect(warning).toBe("warning: a: broke off");
    expect(origin.length > 0, "where it comes from is for -v alone").toBe(verbosity === "verbose");
  });
});

describe("pace and time left", () => {
  /** What a terminal shows after each call, a clock that is set by hand. */
  function setup() {
    const terminal = fakeTerminal(true);
    const clock = { ms: 0 };
    const progress = createProgress(terminal, "normal", () => clock.ms);
    const lines = () => terminal.said().split(CLEAR).slice(1);
    return { progress, clock, lines };
  }

  it("guesses from what is done, not before there is something to guess from", () => {
    const { progress, clock, lines } = setup();
    progress.tick("fetch", "a", {});
    clock.ms = 1000;
    progress.step("fetch", 1, 4, "a", { votes: 10 });
    clock.ms = 60_000;
    progress.step("fetch", 2, 4, "b", { votes: 5990 });
    clock.ms = 90_000;
    progress.step("fetch", 4, 4, "d", { votes: 1 });
    expect(lines()).toEqual([
      "fetch a …",
      "fetch 1/4 a: votes 10",
      "fetch 2/4 b: votes 5,990 · 100 votes/s · ETA 60 s",
      "fetch 4/4 d: votes 1\n",
    ]);
  });

  it("counts what is under way, and does not flicker", () => {
    const { progress, clock, lines } = setup();
    progress.step("fetch", 1, 2, "a", { votes: 0 });
    for (let call = 0; call < 100; call += 1) {
      clock.ms += 100;
      progress.tick("fetch", "b", { votes: 100 * call });
    }
    expect(lines()).toHaveLength(51);
    expect(lines().at(-1)).toBe("fetch 1/2 b: votes 9,900 … · 990 votes/s · ETA 10 s");
  });

  it("begins anew with a stage that comes again", () => {
    const { progress, clock, lines } = setup();
    progress.step("fetch", 1, 1, "a", { votes: 5000 });
    clock.ms = 100_000;
    progress.tick("fetch", "b", {});
    clock.ms = 110_000;
    progress.step("fetch", 1, 2, "b", { votes: 100 });
    expect(lines().at(-1)).toBe("fetch 1/2 b: votes 100 · 10 votes/s · ETA 10 s");
  });

  it.each([
    { ms: 3_000, eta: "3 s" },
    { ms: 89_400, eta: "89 s" },
    { ms: 90_000, eta: "2 min" },
    { ms: 89.4 * 60_000, eta: "89 min" },
    { ms: 90 * 60_000, eta: "1 h 30 min" },
    { ms: 25 * 3_600_000, eta: "25 h 0 min" },
  ])("prints $ms ms as $eta", ({ ms, eta }) => {
    const { progress, clock, lines } = setup();
    progress.tick("fetch", "a", {});
    clock.ms = ms;
    progress.step("fetch", 1, 2, "a", {});
    expect(lines().at(-1)).toBe(`fetch 1/2 a:  · ETA ${eta}`);
  });
});
