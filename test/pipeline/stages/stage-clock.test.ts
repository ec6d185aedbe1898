import { expect, it } from "vitest";
import { formatStages } from "../../../pipeline/cli/options/publish-options.ts";
import { createStageClock } from "../../../pipeline/stages/stage-clock.ts";

const progress = { step: () => {}, tick: () => {}, warn: () => {} };

function clockOf(processorMs: (() => number) | undefined) {
  let nowMs = 0;
  const effects = { nowMs: () => nowMs, runId: "0", progress, ...(processorMs && { processorMs }) };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { clock: createStageClock(effects), pass };
}

it("notes what each stage took, in their order", async () => {
  let spentMs = 10;
  const { clock, pass } = clockOf(() => spentMs);
  await clock.timed(
    "fetch",
    () => pass(500),
    () => 3_000_000,
  );
  const result = await clock.timed(
    "score",
    async () => {
      pass(1_500);
      spentMs += 2_900;
      return 7;
    },
    (value) => value * 100,
  );
  expect(result).toBe(7);
  expect(clock.stages()).toEqual([
    { stage: "fetch", wallMs: 500, processorMs: 0, bytes: 3_000_000 },
    { stage: "score", wallMs: 1_500, processorMs: 2_900, bytes: 700 },
  ]);
  expect(formatStages(clock.stages()).split("\n").slice(0, 4)).toEqual([
    "stage  seconds    share  processor s   bytes",
    "fetch     0.50   25.0 %         0.00  3.0 MB",
    "score     1.50   75.0 %         2.90   700 B",
    "all       2.00  100.0 %         2.90",
  ]);
});

it("tells no processor time where nobody measures it, and no stage that failed", async () => {
  const { clock, pass } = clockOf(undefined);
  await clock.timed("gate", () => pass(20));
  await expect(clock.timed("publish", () => Promise.reject(new Error("full")))).rejects.toThrow("full");
  expect(clock.stages()).toEqual([{ stage: "gate", wallMs: 20 }]);
  expect(formatStages([])).toContain("all");
});
