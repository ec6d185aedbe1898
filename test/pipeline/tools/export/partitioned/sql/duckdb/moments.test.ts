import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { SQL_FOLDER, statementsOf } from "../../../../../../support/duckdb-scores.ts";
import { T } from "../../../../../score/sample-facts.ts";

test("looks at the version's moment, the one a day before, and the ends of the last days", async () => {
  const noon = T + 43_200_000;
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE version AS SELECT CAST(${noon} AS BIGINT) AS as_of_ms`);
  await connection.run("CREATE TABLE setting AS SELECT 2 AS history_days");
  for (const statement of statementsOf(readFileSync(join(SQL_FOLDER, "moments.sql"), "utf8")))
    await connection.run(statement);
  const moments = await connection.runAndReadAll(
    "SELECT at_ms, is_current, is_day_before, is_history_day FROM moment ORDER BY moment_no",
  );
  const rows = moments.getRows().map((row) => row.map(Number));
  connection.closeSync();
  instance.closeSync();
  expect(rows).toEqual([
    [T - 86_400_000, 0, 0, 1],
    [noon - 86_400_000, 0, 1, 0],
    [T, 0, 0, 1],
    [noon, 1, 0, 0],
  ]);
});
