import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { queryFiles } from "../../pipeline/tools/export/partitioned/queries.ts";

/** The measures' SQL, as an export contains it. */
const QUERIES = queryFiles(fileURLToPath(new URL("../..", import.meta.url)));
const queryOf = (file: string): string => QUERIES.get(`clickhouse/${file}`) ?? "";

/** The folder with `node_modules/chdb`, ClickHouse in this process. With half a gigabyte it is no dependency. */
const BESIDE = process.env["GOVDATA_TEST_CHDB"];

/** The title of skipped ClickHouse tests, which the reporter shows. */
export const WITHOUT_CLICKHOUSE =
  "skipped: no ClickHouse (set GOVDATA_TEST_CHDB to a folder with node_modules/chdb)";

/** Settings: limits of a statement, integers as numbers, and NaN as a string, so that it equals no number. */
const SETTINGS = [
  "SET max_memory_usage = 3000000000, max_execution_time = 300, max_threads = 2",
  "SET output_format_json_quote_64bit_integers = 0, output_format_json_quote_denormals = 1",
];

/** The part of chdb that is used. */
interface Engine {
  readonly Session: new (
    folder: string,
  ) => {
    queryAsync(sql: string, options: { readonly format: string }): Promise<{ text(): string }>;
    close(): void;
  };
  drainPending(): Promise<void>;
}

/** A row of a table. */
type Row = Readonly<Record<string, unknown>>;

/** A ClickHouse with a temporary folder. */
export interface ClickHouse {
  /** Runs one statement and returns its rows. */
  readonly rows: (sql: string) => Promise<readonly Row[]>;
  /** Runs SQL files of the measures over the export in a folder. */
  runFiles(exportFolder: string, files: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Whether ClickHouse is installed. */
export function hasClickHouse(): boolean {
  return BESIDE !== undefined && existsSync(join(BESIDE, "node_modules", "chdb"));
}

/** The SQL files of the measures, in the order of `run.sql`. */
export function clickHouseFiles(): readonly string[] {
  const named = queryOf("run.sql").matchAll(/^-- sql\/clickhouse\/([a-z-]+\.sql)$/gm);
  return Array.from(named, ([, file]) => file ?? "");
}

/** Opens a session with limited memory. Only one at a time, because the engine has one folder per process. */
export async function openClickHouse(): Promise<ClickHouse> {
  if (BESIDE === undefined) throw new Error(WITHOUT_CLICKHOUSE);
  const load = createRequire(join(BESIDE, "node_modules", "any.js"));
  const { Session, drainPending } = load("chdb") as Engine;
  const folder = mkdtempSync(join(tmpdir(), "govdata-clickhouse-"));
  const session = new Session(folder);
  const rows = async (sql: string): Promise<readonly Row[]> => {
    try {
      const text = (await session.queryAsync(sql, { format: "JSONEachRow" })).text();
      return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Row]));
    } catch (error) {
      throw new Error(`ClickHouse refuses\n${sql.trim()}\n${String(error)}`);
    }
  };
  for (const sql of SETTINGS) await rows(sql);
  return {
    rows,
    async runFiles(exportFolder, files) {
      for (const file of files) {
        const bare = queryOf(file).replaceAll(/^\s*--.*$/gm, "");
        // The SQL expects the export as working directory, which this process does not change.
        const placed = bare.replaceAll("FROM file('", `FROM file('${exportFolder}/`);
        for (const sql of placed.split(";")) if (sql.trim() !== "") await rows(sql);
      }
    },
    async close() {
      session.close();
      await drainPending();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
