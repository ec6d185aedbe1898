import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clickHouseFiles, openClickHouse } from "../support/clickhouse.ts";
import { compareSqlScores } from "../support/compare-sql-scores.ts";
import { duckdbScores } from "../support/duckdb-scores.ts";

// npx tsx test/bench/sql-at-size.ts duckdb|clickhouse EXPORT VERSION: runs every measure in SQL over a partitioned export,
// says what each file of it takes, and compares every number with the folder of the version that the export is of. DuckDB
// keeps its tables in a file and gets 3 GB, as does each statement of ClickHouse.

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1e6);
};

const say = (what: string, ms: number): void => {
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1_000);
  const seconds = (ms / 1_000).toFixed(1);
  process.stdout.write(`${what} ${seconds} s, so far ${processorSeconds()} processor s and ${peakMb} MB\n`);
};

const folder = mkdtempSync(join(tmpdir(), "govdata-sql-at-size-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

async function run(engine: string, exported: string) {
  if (engine === "duckdb") {
    const database = join(folder, "scores.duckdb");
    return duckdbScores(exported, { onFile: say, database, memoryLimit: "3GB" });
  }
  const clickHouse = await openClickHouse();
  await clickHouse.rows("SET max_execution_time = 0");
  for (const file of clickHouseFiles()) {
    const beganMs = performance.now();
    await clickHouse.runFiles(exported, [file]);
    say(file, performance.now() - beganMs);
  }
  return clickHouse;
}

const [engine = "", exported = "", version = ""] = process.argv.slice(2);
const beganMs = performance.now();
const { rows, close } = await run(engine, exported);
say("all", performance.now() - beganMs);
const { mismatches, ...compared } = await compareSqlScores({ rows, version });
process.stdout.write(
  `${JSON.stringify({ ...compared, mismatches: mismatches.length, first: mismatches.slice(0, 10) })}\n`,
);
await close();
// The engines keep threads of their own.
process.exit(mismatches.length === 0 ? 0 : 1);
