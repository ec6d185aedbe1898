import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildProgram } from "./build-program.ts";
import { LARGE_WORLD_END } from "./large-world-plan.ts";
import { freshHome, type OurHome } from "./measure-ours.ts";
import { lastLine, type ProcessCost, runMeasured } from "./measured-process.ts";

// npx tsx test/bench/pipeline/second-night.ts WORLD [--program DIST]: a whole run, then two more over the same home, each with a vote
// more for one DAO in a hundred: as of the same moment, and as of the next day. Processor time against that of the first. The
// world is left as it was.

/** One DAO in so many has a vote more each night: the middle one, as the first of all holds an eighth of the votes. */
const CHANGED_OF = 100;
const MIDDLE = CHANGED_OF / 2;
const DAY_MS = 86_400_000;
/** A file that was changed just now is read again in any case. */
const SETTLED_AFTER_MS = 3_000;

interface Night {
  readonly what: string;
  readonly cost: ProcessCost;
  /** Processor seconds by stage. */
  readonly stages: ReadonlyMap<string, number>;
}

interface Run {
  readonly cli: string;
  readonly world: string;
  readonly home: OurHome;
}

async function night({ cli, world, home }: Run, what: string, asOfMs: number): Promise<Night> {
  const asOf = new Date(asOfMs).toISOString();
  process.stderr.write(`${what}\n`);
  const cost = await runMeasured(
    [cli, "run", "--source", "archive", "--from", world, "--as-of", asOf, "--json", "--quiet"],
    {
      GOVDATA_HOME: home.home,
      GOVDATA_SNAPSHOTS: home.published,
      GOVDATA_REGISTRY: join(world, "registry.yaml"),
    },
  );
  const { published } = JSON.parse(cost.stdout) as {
    readonly published: {
      readonly stages: readonly { readonly stage: string; readonly processorMs: number }[];
    };
  };
  return {
    what,
    cost,
    stages: new Map(published.stages.map(({ stage, processorMs }) => [stage, processorMs / 1_000])),
  };
}

/** Gives one DAO in a hundred a vote of a new voter on its last proposal; answers how to take all of them back. */
function changeWorld(world: string, nth: number): () => void {
  const folder = join(world, "votes");
  const changed = readdirSync(folder)
    .toSorted()
    .filter((_, index) => index % CHANGED_OF === MIDDLE + nth)
    .map((name) => {
      const path = join(folder, name);
      const { size } = statSync(path);
      const number = nth.toString(16).padStart(2, "0");
      const line = lastLine(readFileSync(path, "utf8"))
        .replace(/"id":"0x[0-9a-f]{2}/, `"id":"0x${number}`)
        .replace(/"voter":"0x[0-9a-fA-F]{40}/, `"voter":"0x${number.repeat(20)}`);
      appendFileSync(path, `${line}\n`);
      return () => truncateSync(path, size);
    });
  return () => {
    for (const restore of changed) restore();
  };
}

function table(nights: readonly Night[]): string {
  const [first] = nights;
  const names = [...new Set(nights.flatMap(({ stages }) => [...stages.keys()]))];
  const rows = [
    ["", ...nights.map(({ what }) => what)],
    ["", ...nights.map(() => "")].map((_, column) => (column === 0 ? "---" : "---:")),
    ...names.map((name) => [name, ...nights.map(({ stages }) => (stages.get(name) ?? 0).toFixed(1))]),
    ["processor s", ...nights.map(({ cost }) => cost.processorS.toFixed(1))],
    ["wall s", ...nights.map(({ cost }) => cost.wallS.toFixed(1))],
    ["peak MB", ...nights.map(({ cost }) => cost.peakMb.toFixed(0))],
    [
      "of the first",
      ...nights.map(({ cost }) => `1/${((first?.cost.processorS ?? 0) / cost.processorS).toFixed(1)}`),
    ],
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { program: { type: "string" } },
  });
  const [world] = positionals;
  if (world === undefined) throw new Error("bench: which world? (write-large-world.ts makes one)");
  const scratch = mkdtempSync(join(tmpdir(), "govdata-bench-nights-"));
  const restores: (() => void)[] = [];
  try {
    const { cli } = buildProgram(scratch, values.program);
    const run: Run = { cli, world, home: freshHome(scratch, "nights") };
    const asOfMs = Date.parse(LARGE_WORLD_END);
    const nights = [await night(run, "first", asOfMs)];
    for (const [what, atMs] of [
      ["the same moment", asOfMs],
      ["the next day", asOfMs + DAY_MS],
    ] as const) {
      restores.push(changeWorld(world, restores.length + 1));
      await wait(SETTLED_AFTER_MS);
      nights.push(await night(run, what, atMs));
    }
    process.stdout.write(table(nights));
  } finally {
    for (const restore of restores.toReversed()) restore();
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main();
