import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endedDayEndsMs } from "../../../pipeline/facts/days.ts";
import { type BenchWorld, writeWallets } from "./bench-world.ts";
import type { BuiltProgram } from "./build-program.ts";
import type { RivalJob } from "./children/rival-job.ts";
import type { StageCost } from "./children/stage-clock.ts";
import { LARGE_WORLD_END } from "./large-world-plan.ts";
import { lastLine, type ProcessCost, runMeasured } from "./measured-process.ts";

/** Seconds on the wall, and of processors. */
export interface Seconds {
  readonly wallS: number;
  readonly processorS: number;
}

/** What a rival took, stage by stage; a day of history is the median of a sample. */
export interface RivalRun {
  readonly cost: ProcessCost;
  readonly load: Seconds;
  /** What it makes once for all days. */
  readonly prepare: Seconds;
  readonly score: Seconds;
  readonly historyDay: Seconds;
  /** Where its results lie, and the days that were sampled. */
  readonly results: string;
  readonly sampleDaysMs: readonly number[];
}

/** Days of history that are asked for. */
export const HISTORY_DAYS = 365;

/** Days spread evenly over the history, each in the middle of its part. */
function sampleDays(count: number): readonly number[] {
  const days = endedDayEndsMs(Date.parse(LARGE_WORLD_END), HISTORY_DAYS);
  return Array.from(
    { length: count },
    (_, part) => days[Math.floor(((part + 0.5) * HISTORY_DAYS) / count)] ?? 0,
  );
}

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

/** Lets a rival load and score a world; its results stay below `scratch`. */
export async function runRival(
  program: BuiltProgram,
  name: "sqlite" | "duckdb",
  world: BenchWorld,
  scratch: string,
  sampleCount: number,
): Promise<RivalRun> {
  const folder = join(scratch, name);
  rmSync(folder, { recursive: true, force: true });
  const [files, results] = [join(folder, "files"), join(folder, "results")];
  for (const each of [files, results]) mkdirSync(each, { recursive: true });
  const wallets = join(folder, "wallets.ndjson");
  writeWallets(world, wallets);
  const sampleDaysMs = sampleDays(sampleCount);
  const job: RivalJob = {
    archive: world.directory,
    wallets,
    sqlFolder: fileURLToPath(new URL("sql", import.meta.url)),
    scratch: files,
    asOfS: Date.parse(LARGE_WORLD_END) / 1_000,
    sampleDaysS: sampleDaysMs.map((dayMs) => dayMs / 1_000),
    results,
  };
  const jobFile = join(folder, "job.json");
  writeFileSync(jobFile, JSON.stringify(job));
  const cost = await runMeasured([program.child(`rival-${name}`), jobFile]);
  rmSync(files, { recursive: true });
  const { costs } = JSON.parse(lastLine(cost.stdout)) as { readonly costs: readonly StageCost[] };
  return {
    cost,
    load: stageOf(costs, "load"),
    prepare: stageOf(costs, "prepare"),
    score: stageOf(costs, "score"),
    historyDay: stageOf(costs, "history"),
    results,
    sampleDaysMs,
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
