import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files of the export's `sql/` by path, if the package has SQL. What `clickhouse/` does not have is generated. */
export function queryFiles(packageDirectory: string): ReadonlyMap<string, string> {
  const folder = join(packageDirectory, "pipeline", "tools", "export", "partitioned", "sql");
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    /^README\.md$|\.sql$/.test(path),
  );
  const files = new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  for (const [path, sql] of [...files]) {
    const twin = path.replace(/^duckdb\//, "clickhouse/");
    const make = path.endsWith("/run.sql") ? runFileOf : clickHouseOf;
    if (!files.has(twin)) files.set(twin, make(sql));
  }
  return files;
}

const DIALECTS: readonly (readonly [duckdb: RegExp, clickhouse: string])[] = [
  [/CREATE OR REPLACE TABLE (\w+) AS/g, "CREATE OR REPLACE TABLE $1 ENGINE = MergeTree ORDER BY tuple() AS"],
  // ClickHouse's counts are unsigned and have no common type with other integers.
  [/\bCOUNT\(([^()]*)\)(?! OVER)/g, "toInt64(COUNT($1))"],
  [/\bUNION(?! ALL)/g, "UNION DISTINCT"],
  [/\bLIST_SORT\(LIST\(ROW\(/g, "arraySort(groupArray(tuple("],
  [/\bUNNEST\(json_keys\((\w+)\)\)/g, "arrayJoin(JSONExtractKeys(assumeNotNull($1)))"],
  [
    /CAST\(json_extract_string\((\w+), [^)]*\) AS DOUBLE\)/g,
    "JSONExtractFloat(assumeNotNull($1), option_key)",
  ],
  [/\bLIST_APPEND\(/g, "arrayPushBack("],
  [/\bSTRING_SPLIT\((\w+), ','\)/g, "splitByChar(',', $1)"],
  [/\bUNNEST\(/g, "arrayJoin("],
  [/CAST\((choice_text|option_key) AS DOUBLE\)/g, "toFloat64OrNull($1)"],
  [/read_parquet\('(\w+)\/\*\/\*\.parquet', hive_partitioning = false\)/g, "$1"],
  // `create.sql` has a type for these that holds 76 digits.
  [/CAST\((after_votes|amount) AS HUGEINT\) AS \1/g, "$1"],
  [/\n *HAVING \S+\(MAX\(GREATEST\(LENGTH\(after_votes\).*/g, ""],
];

/** ClickHouse's shell cannot read a file from a file, so its `run.sql` has no statement: its lines are the order. */
const RUN_HEAD = `-- Every measure in order. In the folder of the export:
--   sed -n 's/^-- \\(.*\\.sql\\)$/\\1/p' sql/clickhouse/run.sql | xargs cat | clickhouse local
-- Range, unit and unknown: as in each file.
-- sql/clickhouse/settings.sql
-- sql/clickhouse/create.sql
-- sql/clickhouse/insert.sql
`;

const runFileOf = (duckdb: string): string =>
  RUN_HEAD + duckdb.replace(/^--.*\n/, "").replaceAll(/^\.read sql\/duckdb/gm, "-- sql/clickhouse");

function clickHouseOf(sql: string): string {
  const translated = DIALECTS.reduce(
    (text, [duckdb, clickhouse]) => text.replaceAll(duckdb, clickhouse),
    sql,
  );
  return `-- Generated from duckdb/: change that file, not this one.\n${withNames(translated)}`;
}

/** Adds ` AS b` to each `a.b` in a select list: DuckDB calls that column `b`, ClickHouse sometimes `a.b`. */
function withNames(sql: string): string {
  let made = "";
  let rest = sql;
  for (let start = rest.search(/\bSELECT\b/); start >= 0; start = rest.search(/\bSELECT\b/)) {
    const begin = start + (/^SELECT(?: DISTINCT(?! ON))?/.exec(rest.slice(start))?.[0].length ?? 0);
    const { items, end } = selectList(rest, begin);
    const list = items.map((item) => item.replace(/^(\s*)([a-z]\w*)\.(\w+)(\s*)$/, "$1$2.$3 AS $3$4"));
    made += rest.slice(0, begin);
    // A list may contain further select lists.
    rest = `${list.join(",")}${rest.slice(end)}`;
  }
  return made + rest;
}

/** The items of the select list that begins at `from`, which ends at its FROM or at the bracket that closes it. */
function selectList(sql: string, from: number) {
  const items: string[] = [];
  let depth = 0;
  let itemStart = from;
  let end = from;
  for (; end < sql.length; end += 1) {
    if (sql[end] === "(") depth += 1;
    if (sql[end] === ")") depth -= 1;
    if (depth < 0 || (depth === 0 && /^\sFROM\s/.test(sql.slice(end, end + 6)))) break;
    if (depth > 0 || sql[end] !== ",") continue;
    items.push(sql.slice(itemStart, end));
    itemStart = end + 1;
  }
  return { items: [...items, sql.slice(itemStart, end)], end };
}
