import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SQL = fileURLToPath(new URL("../../../../../../pipeline/readers/partitioned/sql", import.meta.url));

/** Files that ClickHouse has in words of its own: how facts are read, and what hangs on its own text and number functions. */
export const OWN_FILES = [
  "settings.sql",
  "create.sql",
  "insert.sql",
  "load.sql",
  "discussion-links.sql",
  "delegates.sql",
  "delegation-replay.sql",
] as const;

/** What DuckDB says and ClickHouse says otherwise. */
const WORDS: readonly (readonly [duckdb: RegExp, clickhouse: string])[] = [
  [/CREATE OR REPLACE TABLE (\w+) AS/g, "CREATE OR REPLACE TABLE $1 ENGINE = MergeTree ORDER BY tuple() AS"],
  // Counts are unsigned there, and have no type in common with whole numbers.
  [/\bCOUNT\(([^()]*)\)(?! OVER)/g, "toInt64(COUNT($1))"],
  [/\bUNION(?! ALL)/g, "UNION DISTINCT"],
  [/\bLIST_SORT\(LIST\(ROW\(/g, "arraySort(groupArray(tuple("],
  [/\bUNNEST\(json_keys\((\w+)\)\)/g, "arrayJoin(JSONExtractKeys(assumeNotNull($1)))"],
  [
    /CAST\(json_extract_string\((\w+), [^)]*\) AS DOUBLE\)/g,
    "JSONExtractFloat(assumeNotNull($1), option_key)",
  ],
  [/\bUNNEST\(/g, "arrayJoin("],
  [/CAST\((choice_text|option_key) AS DOUBLE\)/g, "toFloat64OrNull($1)"],
];

/** Where the select list that begins at a place ends: at its FROM, or at the bracket that closes it. */
function listEnd(sql: string, from: number): number {
  let depth = 0;
  for (let at = from; at < sql.length; at += 1) {
    if (sql[at] === "(") depth += 1;
    if (sql[at] === ")") depth -= 1;
    if (depth < 0 || (depth === 0 && /^\sFROM\s/.test(sql.slice(at, at + 6)))) return at;
  }
  return sql.length;
}

/** The parts of a list between its own commas. */
function partsOf(list: string): readonly string[] {
  let depth = 0;
  let part = "";
  const parts: string[] = [];
  for (const char of list) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (char === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += char;
  }
  return [...parts, part];
}

/** `a.b` in a select list is called `b` in DuckDB, and in ClickHouse only where that is said. */
function withNames(sql: string): string {
  let made = "";
  let rest = sql;
  for (let at = rest.search(/\bSELECT\b/); at >= 0; at = rest.search(/\bSELECT\b/)) {
    const begin = at + (/^SELECT(?: DISTINCT(?! ON))?/.exec(rest.slice(at))?.[0].length ?? 0);
    const end = listEnd(rest, begin);
    const list = partsOf(rest.slice(begin, end)).map((part) =>
      part.replace(/^(\s*)([a-z]\w*)\.(\w+)(\s*)$/, "$1$2.$3 AS $3$4"),
    );
    made += rest.slice(0, begin);
    // What a list holds may have select lists of its own.
    rest = `${list.join(",")}${rest.slice(end)}`;
  }
  return made + rest;
}

/** A file of DuckDB's SQL in ClickHouse's words. */
export function clickHouseOf(sql: string): string {
  const worded = WORDS.reduce((text, [duckdb, clickhouse]) => text.replaceAll(duckdb, clickhouse), sql);
  return `-- Generated from duckdb/ by the table of words in the tests: change that file, not this one.\n${withNames(worded)}`;
}

/** The files that are generated, by name: all that `run.sql` of DuckDB reads but those in words of their own. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const run = readFileSync(join(SQL, "duckdb", "run.sql"), "utf8");
  const files = [...run.matchAll(/^\.read .*\/([a-z-]+\.sql)$/gm)].map(([, file]) => file ?? "");
  const own: readonly string[] = OWN_FILES;
  return new Map(
    files
      .filter((file) => !own.includes(file))
      .map((file) => [file, clickHouseOf(readFileSync(join(SQL, "duckdb", file), "utf8"))]),
  );
}

/** Where ClickHouse's files lie. */
export const CLICKHOUSE_FOLDER = join(SQL, "clickhouse");

/** `npx tsx test/pipeline/readers/partitioned/sql/clickhouse/clickhouse-words.ts` writes the generated files anew. */
if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, sql] of generatedFiles()) writeFileSync(join(CLICKHOUSE_FOLDER, file), sql);
