import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import type { BenchWorld } from "./bench-world.ts";
import type { BuiltProgram } from "./build-program.ts";
import type { ScoreJob } from "./children/score-ours.ts";
import type { StageCost } from "./children/stage-clock.ts";
import { LARGE_WORLD_END } from "./large-world-plan.ts";
import { lastLine, type ProcessCost, runMeasured } from "./measured-process.ts";
import { HISTORY_DAYS, type Seconds, stageOf } from "./measured-stages.ts";

/** A home with what it published. */
export interface OurHome {
  readonly folder: string;
  readonly home: string;
  readonly published: string;
}

/** One whole run, and where its time went. */
export interface OurRun {
  readonly cost: ProcessCost;
  /** Seconds on the wall by stage, as run.json has them. */
  readonly stages: Readonly<Record<string, number>>;
  readonly votes: number;
}

/** Bytes that the warehouse takes. */
export interface StoredBytes {
  readonly file: number;
  /** Tables of ballots, choices and voters, with their indexes. */
  readonly votes: number;
}

function homeIn(folder: string): OurHome {
  return { folder, home: join(folder, "home"), published: join(folder, "published") };
}

function environmentOf(world: BenchWorld, { home, published }: OurHome): Record<string, string> {
  return { GOVDATA_HOME: home, GOVDATA_SNAPSHOTS: published, GOVDATA_REGISTRY: world.registry };
}

async function govdata(
  cli: string,
  world: BenchWorld,
  home: OurHome,
  args: readonly string[],
): Promise<ProcessCost> {
  return runMeasured([cli, ...args], environmentOf(world, home));
}

/** The version that stands. */
function versionFolder({ published }: OurHome): string {
  const pointer = JSON.parse(readFileSync(join(published, "current.json"), "utf8")) as { version: string };
  return join(published, pointer.version);
}

const AS_OF = ["--as-of", LARGE_WORLD_END] as const;

/** An empty home of its own for `name`. */
export function freshHome(scratch: string, name: string): OurHome {
  const home = homeIn(join(scratch, name));
  rmSync(home.folder, { recursive: true, force: true });
  mkdirSync(home.home, { recursive: true });
  return home;
}

/** The whole way, from upstream JSON to a published version. */
export async function runWhole(cli: string, world: BenchWorld, home: OurHome): Promise<OurRun> {
  const cost = await govdata(cli, world, home, [
    "run",
    "--source",
    "archive",
    "--from",
    world.directory,
    ...AS_OF,
  ]);
  const report = JSON.parse(readFileSync(join(versionFolder(home), "run.json"), "utf8")) as {
    readonly stages: readonly { readonly stage: string; readonly wall_ms: number }[];
    readonly fetches: readonly { readonly votes: number }[];
  };
  return {
    cost,
    stages: Object.fromEntries(report.stages.map(({ stage, wall_ms }) => [stage, wall_ms / 1_000])),
    votes: report.fetches.reduce((sum, { votes }) => sum + votes, 0),
  };
}

/** Scoring alone, from a filled warehouse: as of the last day, and of every day-end of a year. */
export interface OurScoring {
  readonly score: Seconds;
  readonly history: Seconds;
}

/** Scores every DAO with nothing around it, on two threads; the warehouse is read anew for each of the two. */
export async function scoreAlone(
  program: BuiltProgram,
  world: BenchWorld,
  { home }: OurHome,
): Promise<OurScoring> {
  const job: ScoreJob = {
    warehouse: join(home, "warehouse.db"),
    migrations: program.migrations,
    registry: world.registry,
    asOfMs: Date.parse(LARGE_WORLD_END),
    historyDays: HISTORY_DAYS,
    threads: 2,
  };
  const { stdout } = await runMeasured([program.child("score-ours"), JSON.stringify(job)]);
  const { costs } = JSON.parse(lastLine(stdout)) as { readonly costs: readonly StageCost[] };
  return { score: stageOf(costs, "score"), history: stageOf(costs, "history") };
}

/** What the warehouse of a home takes on disk. */
export function storedBytes({ home }: OurHome): StoredBytes {
  const database = openSqlite(join(home, "warehouse.db"), { readonly: true });
  try {
    const tables = database
      .prepare<[], { name: string; bytes: number }>(
        `SELECT dbstat.name AS name, SUM(pgsize) AS bytes FROM dbstat
         JOIN sqlite_schema ON sqlite_schema.name = dbstat.name
         WHERE sqlite_schema.tbl_name LIKE '%ballot%' OR sqlite_schema.tbl_name LIKE '%voter%'
           OR sqlite_schema.tbl_name LIKE '%choice%'
         GROUP BY dbstat.name`,
      )
      .all();
    const file = readdirSync(home)
      .filter((name) => name.startsWith("warehouse.db"))
      .reduce((sum, name) => sum + statSync(join(home, name)).size, 0);
    return { file, votes: tables.reduce((sum, { bytes }) => sum + bytes, 0) };
  } finally {
    database.close();
  }
}
