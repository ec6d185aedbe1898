import { clickHouseFiles, openClickHouse } from "../support/clickhouse.ts";
import { compareSqlScores } from "../support/compare-sql-scores.ts";
import { duckdbScores } from "../support/duckdb-scores.ts";
import type { AskRows } from "../support/version-files.ts";

// npx tsx test/bench/sql-at-size.ts duckdb|clickhouse EXPORT VERSION: runs every measure in SQL over a partitioned export,
// says what each file of it takes, and compares every number with the folder of the version that the export is of.

const say = (what: string, ms: number): void => {
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1_000);
  process.stdout.write(`${what} ${(ms / 1_000).toFixed(1)} s, at most ${peakMb} MB so far\n`);
};

async function rowsOf(engine: string, exported: string): Promise<AskRows> {
  if (engine === "duckdb") return (await duckdbScores(exported, { onFile: say })).rows;
  const clickHouse = await openClickHouse();
  for (const file of clickHouseFiles()) {
    const beganMs = performance.now();
    await clickHouse.runFiles(exported, [file]);
    say(file, performance.now() - beganMs);
  }
  return clickHouse.rows;
}

const [engine = "", exported = "", version = ""] = process.argv.slice(2);
const beganMs = performance.now();
const rows = await rowsOf(engine, exported);
say("all", performance.now() - beganMs);
const { user, system } = process.cpuUsage();
const { mismatches, ...compared } = await compareSqlScores({ rows, version });
const processorSeconds = Math.round((user + system) / 1e6);
process.stdout.write(
  `${JSON.stringify({ ...compared, processorSeconds, mismatches: mismatches.length, first: mismatches.slice(0, 10) })}\n`,
);
// The engines keep threads of their own.
process.exit(mismatches.length === 0 ? 0 : 1);
