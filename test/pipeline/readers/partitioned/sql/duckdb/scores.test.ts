import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { SQL_FOLDER, statementsOf } from "../../../../../support/duckdb-scores.ts";
import { T } from "../../../../score/sample-facts.ts";
import { compareScores, oddDao, type SqlRows } from "../compare-scores.ts";
import { fillTables, momentsAround, SCORING_FILES } from "../fact-tables.ts";

async function runOver(facts: Parameters<typeof fillTables>[0], momentsMs: readonly number[]) {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  for (const statement of fillTables(facts, momentsMs)) await connection.run(statement);
  for (const file of SCORING_FILES)
    for (const statement of statementsOf(readFileSync(join(SQL_FOLDER, file), "utf8")))
      await connection.run(statement);
  const rows: SqlRows = async (sql) =>
    (await connection.runAndReadAll(sql)).getRowObjectsJson() as Awaited<ReturnType<SqlRows>>;
  return {
    rows,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

describe("the measures in SQL, over facts of odd DAOs", () => {
  test.each([1, 2, 3])(
    "every mark and every score is that of the program, to 1e-9 (seed %i)",
    async (seed) => {
      const facts = oddDao(seed);
      const moments = momentsAround(T);
      const { rows, close } = await runOver(facts, moments);
      const { mismatches, numbers } = await compareScores(facts, moments, rows);
      close();
      expect(mismatches).toEqual([]);
      expect(numbers).toBeGreaterThan(2500);
    },
  );
});
