import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { MEMBER_COLUMNS, readRivalJob, SCORE_COLUMNS } from "./rival-job.ts";
import { createRivalSteps } from "./rival-steps.ts";
import { createStageClock } from "./stage-clock.ts";

// node rival-duckdb.js JOB: the same world in DuckDB with two threads, in memory (its faster mode), all of it in SQL.

async function main(): Promise<void> {
  const job = readRivalJob();
  const instance = await DuckDBInstance.create(":memory:", { threads: "2", temp_directory: job.scratch });
  const connection = await instance.connect();
  const rowsOf = async (sql: string): Promise<readonly object[]> =>
    (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const steps = createRivalSteps(
    {
      dialect: "duckdb",
      run: async (sql) => {
        for (const statement of await statementsOf(sql)) await connection.run(statement);
      },
      count: async (sql) => Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0),
    },
    job.sqlFolder,
  );
  const clock = createStageClock();
  const write = async (name: string, columns: string, table: string): Promise<void> => {
    const rows = await rowsOf(`SELECT ${columns} FROM ${table}`);
    writeFileSync(
      join(job.results, `${name}.ndjson`),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
  };

  await connection.run("SET preserve_insertion_order = false");
  await clock.time("load", async () => {
    const load = steps.text("load-duckdb").replaceAll(":archive", job.archive);
    for (const sql of [steps.text("schema"), load.replaceAll(":registry_wallets", job.wallets)])
      for (const statement of await statementsOf(sql)) await connection.run(statement);
  });
  await clock.time("prepare", () => steps.prepare(async () => undefined));
  for (const [place, dayS] of job.sampleDaysS.entries()) {
    await clock.time("history", () => steps.scoreAsOf(dayS));
    await write(`day-${place}`, SCORE_COLUMNS, "score");
  }
  await clock.time("score", () => steps.scoreAsOf(job.asOfS));
  await write("scores", SCORE_COLUMNS, "score");
  await steps.diagnose();
  await write("members", MEMBER_COLUMNS, "diagnosed");
  connection.closeSync();
  instance.closeSync();
  process.stdout.write(`${JSON.stringify({ costs: clock.costs })}\n`);
}

/** One statement each: the binding prepares one at a time. No text in our files holds a semicolon. */
async function statementsOf(sql: string): Promise<readonly string[]> {
  const bare = sql.replaceAll(/^\s*--.*$/gm, "");
  return bare.split(";").filter((statement) => statement.trim() !== "");
}

await main();
