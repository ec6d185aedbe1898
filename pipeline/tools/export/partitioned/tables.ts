import {
  type Column,
  columnsOf,
  DELEGATE_COLUMNS,
  DELEGATE_DAY_COLUMNS,
  type Row,
} from "../../../documents/columns.ts";
import type { OutputFolder } from "../../output-folder.ts";
import { columnSection, GOVERNANCE_INDEX_COLUMNS, HISTORY_COLUMNS, INDICATOR_COLUMNS } from "../datasets.ts";
import { createParquet } from "../encode.ts";
import { cellOf } from "../rows.ts";
import {
  BALLOT_COLUMNS,
  DELEGATE_LIST_COLUMNS,
  DELEGATION_EVENT_COLUMNS,
  KNOWN_PROPOSAL_COLUMNS,
  SCORES_COLUMNS,
  SPACE_COLUMNS,
  VOTER_COLUMNS,
} from "./columns.ts";

interface PartitionedTable {
  readonly description: string;
  readonly isPartitioned: boolean;
  readonly columns: readonly Column[];
  /** Rows per row group, for tables with millions of rows. */
  readonly groupRows: number | undefined;
}

const SPACE_ID = columnsOf("space_id string - The DAO.");

const LISTING_MOMENT = columnsOf(
  "as_of_ms integer? ms The moment of the listing, since 1970 in UTC; null if its logs have no times.",
);

/** All tables with their columns and, for millions of rows, the size of row groups; files, README and tests are made from them. */
export const TABLES = {
  spaces: whole(SPACE_COLUMNS, "One row per DAO of the version."),
  voters: whole(VOTER_COLUMNS, "One row per voter with a vote in `ballots`.", 2 ** 16),
  proposals: partitioned(
    KNOWN_PROPOSAL_COLUMNS,
    "One row per known proposal: its facts, and the version's measures as `measured_…`.",
  ),
  ballots: partitioned(BALLOT_COLUMNS, "One row per vote, the last of each voter.", 2 ** 16),
  scores: whole(SCORES_COLUMNS, "One row per DAO, not rounded."),
  indicators: whole(INDICATOR_COLUMNS, "One row per indicator of each component, not rounded."),
  history: partitioned(HISTORY_COLUMNS, "One row per DAO and day with enough data, rounded as published."),
  delegates: partitioned(
    [...DELEGATE_COLUMNS, ...LISTING_MOMENT],
    "One row per delegate: the whole latest ranking, by address, as published.",
  ),
  delegate_days: partitioned(
    [...SPACE_ID, ...DELEGATE_DAY_COLUMNS],
    "One row per dated listing: its totals.",
  ),
  delegate_lists: partitioned(
    DELEGATE_LIST_COLUMNS,
    "One row per delegate in each list of a source, complete or not.",
  ),
  delegation_events: partitioned(
    DELEGATION_EVENT_COLUMNS,
    "One row per log of the token, ordered by block and log.",
  ),
  dgi: whole(GOVERNANCE_INDEX_COLUMNS, "One row per day of the index, then one for the current index."),
} satisfies Readonly<Record<string, PartitionedTable>>;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

function partitioned(columns: readonly Column[], description: string, groupRows?: number): PartitionedTable {
  return { description, isPartitioned: true, columns, groupRows };
}

function whole(columns: readonly Column[], description: string, groupRows?: number): PartitionedTable {
  return { description, isPartitioned: false, columns, groupRows };
}

function pathOfTable(name: TableName, spaceId: string): string {
  return TABLES[name].isPartitioned ? `${name}/space_id=${spaceId}/part-0.parquet` : `${name}.parquet`;
}

const HOW = `# A partitioned export of govdata

Parquet files: one folder per table, with one folder per DAO. \`about.json\`, which is written last, lists all files with hashes.
\`sql/\`, if present, computes every score from these tables again.

- DuckDB: \`SELECT * FROM read_parquet('ballots/*/*.parquet', hive_partitioning = false)\`
- ClickHouse: \`SELECT * FROM file('ballots/*/*.parquet')\`
- pandas: \`pandas.read_parquet('ballots', partitioning=None)\`

The files also contain the partition's column, so readers do not need the folder names. Columns in \`_ms\` are milliseconds since
1970 in UTC as whole numbers, which no reader shifts to its own time zone. Null is "not known" or "not measured", never zero.
Powers of different DAOs have no common unit, and neither have proposals with different \`measured_unit\`: count their voters together, but never add their powers.

## Pseudonyms protect little

Voters, authors and accounts of logs are pseudonyms under a secret that only this export's home has: they keep names and addresses out of
files, logs and screens, and cannot be found by hashing a list of addresses. **They are not anonymous.** Votes are public where they were cast:
by comparing times, choices and powers with Snapshot, anybody can find the address behind nearly every \`voter_id\`. \`person_id\` then reveals which
wallets the registry assigns to one person, and \`is_labelled\` that it knows them, also for opted-out entities. Keep this export as safe as the home, and publish the version instead.

\`discussion\` is the author's link, with f for each digit of an address in it. Rows of \`voters\`, and of the \`ballots\` of a proposal, are in the
order of pseudonyms, which reveals nothing. \`delegates\` contains addresses and names as published, without the names of opted-out entities.
`;

/** The README of an export: how to read it, the limits of its pseudonyms, and every column. */
export function exportReadme(): string {
  const sections = TABLE_NAMES.map((name) => {
    const { description, isPartitioned, columns } = TABLES[name];
    const path = `${isPartitioned ? `${name}/space_id=…/part-0` : name}.parquet`;
    return columnSection(name, `${description} \`${path}\``, columns);
  });
  return [HOW, ...sections].join("\n");
}

export type TableWriter = ReturnType<typeof createTableWriter>;

export function createTableWriter(folder: Pick<OutputFolder, "put">) {
  const tables = Object.fromEntries(
    TABLE_NAMES.map((name) => [name, { rows: 0, files: 0, bytes: 0 }]),
  ) as Record<TableName, { rows: number; files: number; bytes: number }>;
  /** Unpartitioned tables, as the compressed bytes of their files: a few megabytes for all DAOs. */
  const collected = new Map<TableName, { parquet: ReturnType<typeof parquetOf>; chunks: Uint8Array[] }>();

  const parquetOf = (name: TableName) => createParquet(TABLES[name].columns, TABLES[name].groupRows);

  function* counted(name: TableName, rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      tables[name].rows += 1;
      yield row;
    }
  }
  function put(name: TableName, spaceId: string, chunks: Iterable<Uint8Array>): void {
    tables[name].bytes += folder.put(pathOfTable(name, spaceId), chunks).bytes;
    tables[name].files += 1;
  }
  function writeRows(name: TableName, spaceId: string, rows: Iterable<Row>): number {
    const before = tables[name].rows;
    const parquet = parquetOf(name);
    const groups = parquet.add(counted(name, rows));
    const first = groups.next();
    function* chunks() {
      if (first.done !== true) yield first.value;
      yield* groups;
      yield* parquet.end();
    }
    if (tables[name].rows > before) put(name, spaceId, chunks());
    return tables[name].rows - before;
  }
  return {
    tables,
    /** Writes the rows of one DAO, or of a table for all DAOs; returns their number. Writes no file without rows. */
    rows: writeRows,
    records(name: TableName, spaceId: string, records: Iterable<object>): void {
      writeRows(name, spaceId, rowsOf(name, records));
    },
    /** Collects rows of an unpartitioned table for its single file. */
    collect(name: TableName, records: Iterable<object>): void {
      const { parquet, chunks } = collected.get(name) ?? { parquet: parquetOf(name), chunks: [] };
      collected.set(name, { parquet, chunks });
      chunks.push(...parquet.add(counted(name, rowsOf(name, records))));
    },
    /** Writes collected rows, and an empty file for each table without one, so that file patterns find its columns. */
    finish(spaceId: string): void {
      for (const [name, { parquet, chunks }] of collected)
        if (tables[name].rows > 0) put(name, "", [...chunks, ...parquet.end()]);
      for (const name of TABLE_NAMES) if (tables[name].files === 0) put(name, spaceId, parquetOf(name).end());
    },
  };
}

function* rowsOf(name: TableName, records: Iterable<object>): Generator<Row> {
  const { columns } = TABLES[name];
  for (const record of records) yield columns.map((column) => cellOf(record, column));
}
