import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ClickHouse,
  hasClickHouse,
  openClickHouse,
  WITHOUT_CLICKHOUSE,
} from "../../../../../support/clickhouse.ts";
import { statementsOf } from "../../../../../support/duckdb-scores.ts";
import { T } from "../../../../score/sample-facts.ts";
import { compareScores, oddDao } from "../compare-scores.ts";
import { fillTables, momentsAround, SCORING_FILES } from "../fact-tables.ts";
import { CLICKHOUSE_FOLDER, clickHouseOf, generatedFiles, OWN_FILES } from "./clickhouse-words.ts";

const textOf = (file: string): string => readFileSync(join(CLICKHOUSE_FOLDER, file), "utf8");
/** DuckDB's types in ClickHouse's words. */
const TYPES: Readonly<Record<string, string>> = {
  INTEGER: "Nullable(Int64)",
  BIGINT: "Nullable(Int64)",
  DOUBLE: "Nullable(Float64)",
  VARCHAR: "Nullable(String)",
};

describe("the SQL for ClickHouse", () => {
  test.each([...generatedFiles()])(
    "%s is what DuckDB's says; if not: npx tsx test/pipeline/readers/partitioned/sql/clickhouse/clickhouse-words.ts",
    (file, sql) => {
      expect(textOf(file)).toBe(sql);
    },
  );

  test("is generated but for what has words of its own", () => {
    expect(readdirSync(CLICKHOUSE_FOLDER).sort()).toEqual(
      [...generatedFiles().keys(), ...OWN_FILES, "run.sql"].sort(),
    );
  });

  test("names qualified columns in every select list, and nowhere else", () => {
    const sql =
      "CREATE OR REPLACE TABLE x AS\nSELECT a.b, SUM(a.c) AS c, (SELECT d.e FROM d) AS f\nFROM a\nGROUP BY a.b;";
    expect(clickHouseOf(sql).split("\n").slice(1).join("\n")).toBe(
      "CREATE OR REPLACE TABLE x ENGINE = MergeTree ORDER BY tuple() AS\nSELECT a.b AS b, SUM(a.c) AS c, (SELECT d.e AS e FROM d) AS f\nFROM a\nGROUP BY a.b;",
    );
  });
});

describe.skipIf(!hasClickHouse())(
  `the measures in ClickHouse, over facts of odd DAOs${hasClickHouse() ? "" : ` (${WITHOUT_CLICKHOUSE})`}`,
  () => {
    let engine: ClickHouse;
    beforeAll(async () => {
      engine = await openClickHouse();
      for (const statement of statementsOf(textOf("settings.sql"))) await engine.rows(statement);
    });
    afterAll(() => engine.close());

    test.each([1, 2])(
      "every mark and every score is that of the program, to 1e-9 (seed %i)",
      async (seed) => {
        const facts = oddDao(seed);
        const moments = momentsAround(T);
        const filled = fillTables(
          facts,
          moments,
          (type) => TYPES[type] ?? type,
          " ENGINE = MergeTree ORDER BY tuple()",
        );
        for (const statement of filled) await engine.rows(statement);
        for (const file of SCORING_FILES)
          for (const statement of statementsOf(textOf(file))) await engine.rows(statement);
        const { mismatches, numbers } = await compareScores(facts, moments, engine.rows);
        expect(mismatches).toEqual([]);
        expect(numbers).toBeGreaterThan(2500);
      },
      60_000,
    );
  },
);
