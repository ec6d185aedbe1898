import type { BenchWorld } from "./bench-world.ts";
import type { BuiltProgram } from "./build-program.ts";
import type { StageCost } from "./children/stage-clock.ts";
import { lastLine, runMeasured } from "./measured-process.ts";

/** Seconds on the wall, and of processors. */
export interface Seconds {
  readonly wallS: number;
  readonly processorS: number;
}

/** Days of history that are asked for. */
export const HISTORY_DAYS = 365;

/** The middle one of some numbers. */
export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const upper = ascending[Math.floor(ascending.length / 2)] ?? Number.NaN;
  const lower = ascending[Math.floor((ascending.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** What one stage took; the median where there were several of its name. */
export function stageOf(costs: readonly StageCost[], stage: string): Seconds {
  const own = costs.filter((cost) => cost.stage === stage);
  return {
    wallS: median(own.map(({ wallS }) => wallS)),
    processorS: median(own.map(({ processorS }) => processorS)),
  };
}

/** Bare JSON.parse of a world, by lines or by pages. */
export interface BareParse {
  readonly variant: "lines" | "pages";
  readonly parse: Seconds;
  readonly readAndParse: Seconds;
  readonly bytes: number;
}

/** Parses all of a world's JSON and keeps nothing. */
export async function parseBare(
  program: BuiltProgram,
  world: BenchWorld,
  variant: BareParse["variant"],
): Promise<BareParse> {
  const { stdout } = await runMeasured([program.child("parse-bare"), world.directory, variant]);
  const { costs, bytes } = JSON.parse(lastLine(stdout)) as { costs: readonly StageCost[]; bytes: number };
  return { variant, bytes, parse: stageOf(costs, "parse"), readAndParse: stageOf(costs, "read and parse") };
}
