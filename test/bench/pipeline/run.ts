import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BenchWorld, checkGenerator, findWorld, sizeName } from "./bench-world.ts";
import { type BuiltProgram, buildProgram } from "./build-program.ts";
import { type Comparison, compareResults } from "./compare-results.ts";
import {
  type Figure,
  linearFigures,
  parseFigures,
  type RivalRound,
  type Round,
  rivalFigures,
  sizeFigures,
} from "./figures.ts";
import {
  freshHome,
  type OurHome,
  type OurRun,
  runWhole,
  type StoredBytes,
  scoreAlone,
  storedBytes,
  versionFolder,
} from "./measure-ours.ts";
import { parseBare, runRival } from "./measure-rivals.ts";
import { runMeasured } from "./measured-process.ts";
import { allRivalSeconds, figuresTable, ourSeconds, secondsTable, stagesTable } from "./print-figures.ts";

// npx tsx test/bench/pipeline/run.ts [VOTES] [ROUNDS] [--rivals-at VOTES] [--linear A,B,C] [--days-duckdb N] [--days-sqlite N]
// [--program DIST] [--no-publishing] [--json]: figures P4 to P10 (quality.md), everything in turns, medians and spreads.
// Worlds are kept in GOVDATA_BENCH_WORLDS, or a folder of the machine's temporary ones. What is measured is compiled first
// and runs as processes of their own. A history of the rivals is a sample of its days: --days-... of 365.

interface Options {
  readonly votes: number;
  readonly rounds: number;
  readonly rivalsAt: number;
  readonly linear: readonly number[];
  readonly duckdbDays: number;
  readonly sqliteDays: number;
  readonly program: string | undefined;
  readonly isPublishingAsked: boolean;
  readonly isJson: boolean;
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "rivals-at": { type: "string" },
      linear: { type: "string" },
      "days-duckdb": { type: "string", default: "5" },
      "days-sqlite": { type: "string", default: "2" },
      program: { type: "string" },
      "no-publishing": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const votes = Number(positionals[0] ?? 1_000_000);
  const parts = values.linear?.split(",").filter((each) => each !== "") ?? [
    votes / 10,
    (3 * votes) / 10,
    votes,
  ];
  return {
    votes,
    rounds: Number(positionals[1] ?? 3),
    rivalsAt: Number(values["rivals-at"] ?? votes),
    linear: parts.map(Number).sort((a, b) => a - b),
    duckdbDays: Number(values["days-duckdb"]),
    sqliteDays: Number(values["days-sqlite"]),
    program: values.program,
    isPublishingAsked: !values["no-publishing"],
    isJson: values.json,
  };
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Bench {
  readonly program: BuiltProgram;
  readonly scratch: string;
  readonly options: Options;
}

interface MeasuredSize {
  readonly round: Round;
  readonly home: OurHome;
}

/** Everything of ours, once; the home with its version stays in `scratch`. */
async function measureRound({ program, scratch }: Bench, world: BenchWorld): Promise<MeasuredSize> {
  const { cli } = program;
  say("  bare JSON.parse");
  const lines = await parseBare(program, world, "lines");
  const pages = await parseBare(program, world, "pages");
  say("  ours: the whole run");
  const home = freshHome(scratch, "whole");
  const ours = await runWhole(cli, world, home);
  say("  ours: scoring alone");
  const scoring = await scoreAlone(program, world, home);
  return { round: { lines, pages, ours, scoring }, home };
}

interface Rivals {
  readonly round: RivalRound;
  readonly comparisons: readonly Comparison[];
}

/** Both rivals on the world of a round, and whether their results are ours. */
async function measureRivals(
  bench: Bench,
  world: BenchWorld,
  { round, home }: MeasuredSize,
): Promise<Rivals> {
  const { program, scratch, options } = bench;
  const version = versionFolder(home);
  say("  DuckDB");
  const duckdb = await runRival(program, "duckdb", world, scratch, options.duckdbDays);
  const likeDuckdb = compareResults({ rival: "DuckDB", version, ...duckdb });
  say("  SQLite");
  const sqlite = await runRival(program, "sqlite", world, scratch, options.sqliteDays);
  const likeSqlite = compareResults({ rival: "SQLite", version, ...sqlite });
  return { round: { ...round, duckdb, sqlite }, comparisons: [likeDuckdb, likeSqlite] };
}

interface Measured {
  readonly rounds: readonly Round[];
  readonly rivals: readonly Rivals[];
  readonly stored: StoredBytes;
}

/** All rounds; rivals at a smaller size are compared with our run at that size. */
async function measureRounds(bench: Bench, worlds: string): Promise<Measured> {
  const { votes, rounds: count, rivalsAt } = bench.options;
  const world = findWorld(worlds, votes);
  const rivalWorld = rivalsAt === 0 || rivalsAt === votes ? world : findWorld(worlds, rivalsAt);
  const rounds: Round[] = [];
  const rivals: Rivals[] = [];
  let stored: StoredBytes = { file: 0, votes: 0 };
  for (let nth = 1; nth <= count; nth += 1) {
    say(`round ${nth} of ${count}`);
    const own = await measureRound(bench, world);
    rounds.push(own.round);
    stored = storedBytes(own.home);
    if (rivalsAt === 0) continue;
    const compared = rivalWorld === world ? own : await measureRound(bench, rivalWorld);
    rivals.push(await measureRivals(bench, rivalWorld, compared));
  }
  return { rounds, rivals, stored };
}

/** The other sizes of P10, as often as the rest was measured. */
async function measureSizes(bench: Bench, worlds: string, rounds: readonly Round[]): Promise<Figure[]> {
  const { votes, linear } = bench.options;
  const sizes: { name: string; runs: OurRun[] }[] = linear.map((size) => ({
    name: sizeName(size),
    runs: [],
  }));
  for (const [place, size] of linear.entries()) {
    if (size === votes) sizes[place]?.runs.push(...rounds.map(({ ours }) => ours));
  }
  for (let nth = 1; nth <= rounds.length; nth += 1)
    for (const [place, size] of linear.entries()) {
      if (size === votes) continue;
      say(`the whole run of ${sizeName(size)}, ${nth} of ${rounds.length}`);
      const world = findWorld(worlds, size);
      sizes[place]?.runs.push(await runWhole(bench.program.cli, world, freshHome(bench.scratch, "size")));
    }
  return linearFigures(sizes);
}

/** P7 has a bench of its own; what it prints is printed. */
async function measurePublishing({ options }: Bench): Promise<string> {
  const bench = fileURLToPath(new URL("publish.ts", import.meta.url));
  if (!options.isPublishingAsked || !existsSync(bench)) return "P7: see test/bench/pipeline/publish.ts\n";
  say("publishing");
  return (await runMeasured(["--import", import.meta.resolve("tsx"), bench])).stdout;
}

function print(measured: Measured, figures: readonly Figure[], publishing: string, options: Options): void {
  const { rounds, rivals } = measured;
  const rivalRounds = rivals.map(({ round }) => round);
  const seconds = ourSeconds(rounds);
  const rivalSeconds = rivals.length === 0 ? [] : allRivalSeconds(rivalRounds);
  if (options.isJson) {
    const comparisons = rivals.flatMap((each) => each.comparisons);
    process.stdout.write(
      `${JSON.stringify({ votes: options.votes, rounds: options.rounds, rivalsAt: options.rivalsAt, figures, seconds, rivalSeconds, comparisons, publishing })}\n`,
    );
    return;
  }
  process.stdout.write(secondsTable(`${sizeName(options.votes)} votes`, seconds));
  process.stdout.write(stagesTable(rounds));
  if (rivals.length > 0) {
    const name = `rivals at ${sizeName(options.rivalsAt)} votes`;
    process.stdout.write(secondsTable(name, rivalSeconds));
    if (options.rivalsAt !== options.votes)
      process.stdout.write(
        secondsTable(`ours at the rivals' ${sizeName(options.rivalsAt)}`, ourSeconds(rivalRounds)),
      );
  }
  for (const { rival, numbers, furthest, historyPoints } of rivals.at(-1)?.comparisons ?? [])
    process.stdout.write(
      `${rival} agrees with ours: ${numbers} numbers, at most ${furthest.toExponential(1)} apart, ${historyPoints} days of history as rounded\n`,
    );
  process.stdout.write(`\n${figuresTable(figures)}\n${publishing}`);
}

async function main(): Promise<void> {
  const options = readOptions();
  const worlds = process.env["GOVDATA_BENCH_WORLDS"] ?? join(tmpdir(), "govdata-bench-worlds");
  mkdirSync(worlds, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "govdata-bench-"));
  // An interrupted bench would leave gigabytes behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      rmSync(scratch, { recursive: true, force: true });
      process.exit(130);
    });
  try {
    say("the generator, and building");
    checkGenerator(scratch);
    const program = buildProgram(join(scratch, "program"), options.program);
    const bench: Bench = { program, scratch, options };
    const measured = await measureRounds(bench, worlds);
    const figures = [
      ...parseFigures(measured.rounds),
      ...(measured.rivals.length === 0 ? [] : rivalFigures(measured.rivals.map(({ round }) => round))),
      ...sizeFigures(measured.stored, measured.rounds),
      ...(await measureSizes(bench, worlds, measured.rounds)),
    ];
    print(measured, figures, await measurePublishing(bench), options);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main();
