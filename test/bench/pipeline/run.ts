import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BenchWorld, checkGenerator, findWorld, sizeName } from "./bench-world.ts";
import { type BuiltProgram, buildProgram } from "./build-program.ts";
import { type Figure, linearFigures, parseFigures, type Round, sizeFigures } from "./figures.ts";
import {
  freshHome,
  type OurHome,
  type OurRun,
  runWhole,
  type StoredBytes,
  scoreAlone,
  storedBytes,
} from "./measure-ours.ts";
import { runMeasured } from "./measured-process.ts";
import { parseBare } from "./measured-stages.ts";
import { figuresTable, ourSeconds, secondsTable, stagesTable } from "./print-figures.ts";

// npx tsx test/bench/pipeline/run.ts [VOTES] [ROUNDS] [--linear A,B,C] [--program DIST] [--no-publishing] [--json]: figures
// P4 and P7 to P10, everything in turns, medians and spreads. Worlds are kept in GOVDATA_BENCH_WORLDS, or a folder of the
// machine's temporary ones. What is measured is compiled first and runs as processes of their own.

interface Options {
  readonly votes: number;
  readonly rounds: number;
  readonly linear: readonly number[];
  readonly program: string | undefined;
  readonly isPublishingAsked: boolean;
  readonly isJson: boolean;
}

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      linear: { type: "string" },
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
    linear: parts.map(Number).sort((a, b) => a - b),
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

interface Measured {
  readonly rounds: readonly Round[];
  readonly stored: StoredBytes;
}

async function measureRounds(bench: Bench, worlds: string): Promise<Measured> {
  const { votes, rounds: count } = bench.options;
  const world = findWorld(worlds, votes);
  const rounds: Round[] = [];
  let stored: StoredBytes = { file: 0, votes: 0 };
  for (let nth = 1; nth <= count; nth += 1) {
    say(`round ${nth} of ${count}`);
    const { round, home } = await measureRound(bench, world);
    rounds.push(round);
    stored = storedBytes(home);
  }
  return { rounds, stored };
}

/** The other sizes of P10, as often as the rest was measured. */
async function measureSizes(bench: Bench, worlds: string, rounds: readonly Round[]): Promise<Figure[]> {
  const { votes, linear } = bench.options;
  const sizes: { name: string; runs: OurRun[] }[] = linear.map((size) => ({
    name: sizeName(size),
    runs: [],
  }));
  for (const [index, size] of linear.entries()) {
    if (size === votes) sizes[index]?.runs.push(...rounds.map(({ ours }) => ours));
  }
  for (let nth = 1; nth <= rounds.length; nth += 1)
    for (const [index, size] of linear.entries()) {
      if (size === votes) continue;
      say(`the whole run of ${sizeName(size)}, ${nth} of ${rounds.length}`);
      const world = findWorld(worlds, size);
      sizes[index]?.runs.push(await runWhole(bench.program.cli, world, freshHome(bench.scratch, "size")));
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
  const { rounds } = measured;
  const seconds = ourSeconds(rounds);
  if (options.isJson) {
    const { votes } = options;
    process.stdout.write(
      `${JSON.stringify({ votes, rounds: options.rounds, figures, seconds, publishing })}\n`,
    );
    return;
  }
  process.stdout.write(secondsTable(`${sizeName(options.votes)} votes`, seconds));
  process.stdout.write(stagesTable(rounds));
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
      ...sizeFigures(measured.stored, measured.rounds),
      ...(await measureSizes(bench, worlds, measured.rounds)),
    ];
    print(measured, figures, await measurePublishing(bench), options);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main();
