import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../pipeline/cli/terminal/progress.ts";
import { tidyTerminal, type Verbosity } from "../../../../pipeline/cli/terminal/terminal.ts";
import { CLEAR, fakeTerminal } from "../fake-terminal.ts";

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
