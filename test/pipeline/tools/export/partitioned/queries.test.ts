import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INDICATORS } from "../../../../../pipeline/score/method/indicators.ts";
import { queryFiles } from "../../../../../pipeline/tools/export/partitioned/queries.ts";

describe("the SQL of the package", () => {
  const files = queryFiles(fileURLToPath(new URL("../../../../..", import.meta.url)));
  const namesBelow = (folder: string): readonly string[] =>
    [...files.keys()].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));

  it("has each of DuckDB's files for ClickHouse too, which also has files that prepare", () => {
    const preparing = ["settings.sql", "create.sql", "insert.sql"];
    expect(namesBelow("clickhouse/").toSorted()).toEqual([...namesBelow("duckdb/"), ...preparing].toSorted());
    expect(files.get("README.md")).toMatch(/^# Every measure in SQL\n/);
  });

  it("has a semicolon only at the end of a statement, so that a program may split a file there", () => {
    const sql = [...files].filter(([path]) => path.endsWith(".sql"));
    for (const [path, text] of sql)
      for (const line of text.split("\n")) expect(line.replace(/;$/, ""), path).not.toContain(";");
    for (const [path, text] of sql)
      for (const [, comment] of text.matchAll(/^\s*--(.*)$/gm)) expect(comment, path).not.toMatch(/;$/);
  });

  it.each([
    { file: "marks.sql", isOfDao: false },
    { file: "components.sql", isOfDao: true },
  ])("has in $file every indicator of its kind, in the order of publication", ({ file, isOfDao }) => {
    const wanted = INDICATORS.filter(({ of: subject }) => (subject === "dao") === isOfDao);
    const rows = (files.get(`duckdb/${file}`) ?? "").matchAll(
      /'(hpr|dei|pdi|gpi)'(?: AS component)?, '(\w+)'(?: AS indicator)?,/g,
    );
    expect(wanted.length).toBeGreaterThan(2);
    expect(Array.from(rows, ([, component, id]) => `${component} ${id}`)).toEqual(
      wanted.map(({ id, component }) => `${component} ${id}`),
    );
  });

  it("names each of ClickHouse's files once in its run.sql, in DuckDB's order", () => {
    const named = (path: string, line: RegExp): readonly string[] =>
      Array.from((files.get(path) ?? "").matchAll(line), ([, file]) => file ?? "");
    const duckdb = named("duckdb/run.sql", /^\.read sql\/duckdb\/(.*)$/gm);
    expect([...duckdb, "run.sql"].toSorted()).toEqual(namesBelow("duckdb/").toSorted());
    expect(named("clickhouse/run.sql", /^-- sql\/clickhouse\/(.*)$/gm)).toEqual([
      "settings.sql",
      "create.sql",
      "insert.sql",
      ...duckdb,
    ]);
  });
});

describe("the SQL of a folder", () => {
  let folder: string;
  const write = (path: string, text: string): void => {
    const target = join(folder, "pipeline/tools/export/partitioned/sql", path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const GENERATED = "-- Generated from duckdb/: change that file, not this one.\n";
  const translated = (sql: string): string | undefined => {
    write("duckdb/measure.sql", sql);
    return queryFiles(folder).get("clickhouse/measure.sql");
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "govdata-queries-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    {
      why: "a table has an engine",
      duckdb: "CREATE OR REPLACE TABLE x AS SELECT 1 AS one;",
      clickhouse: "CREATE OR REPLACE TABLE x ENGINE = MergeTree ORDER BY tuple() AS SELECT 1 AS one;",
    },
    {
      why: "qualified columns are named in every select list, and nowhere else",
      duckdb: "SELECT a.b, SUM(a.c) AS c, (SELECT d.e FROM d) AS f\nFROM a\nGROUP BY a.b;",
      clickhouse: "SELECT a.b AS b, SUM(a.c) AS c, (SELECT d.e AS e FROM d) AS f\nFROM a\nGROUP BY a.b;",
    },
    {
      why: "a count is a whole number, but as a window function it already fits",
      duckdb: "SELECT COUNT(*) AS n, COUNT(*) OVER () AS total FROM a",
      clickhouse: "SELECT toInt64(COUNT(*)) AS n, COUNT(*) OVER () AS total FROM a",
    },
    {
      why: "a union says that it is distinct",
      duckdb: "SELECT b FROM a UNION SELECT c FROM a UNION ALL SELECT d FROM a",
      clickhouse: "SELECT b FROM a UNION DISTINCT SELECT c FROM a UNION ALL SELECT d FROM a",
    },
  ])("is generated for ClickHouse: $why", ({ duckdb, clickhouse }) => {
    expect(translated(duckdb)).toBe(`${GENERATED}${clickhouse}`);
  });

  it("prefers a file that is written for ClickHouse", () => {
    write("clickhouse/measure.sql", "SELECT 2");
    expect(translated("SELECT 1")).toBe("SELECT 2");
  });

  it("has no files without the folder", () => {
    expect(queryFiles(join(folder, "elsewhere"))).toEqual(new Map());
  });
});
