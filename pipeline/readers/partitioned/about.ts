import { columnSection } from "../tables/dictionary.ts";
import { TABLE_NAMES, TABLES, type TableName } from "./tables.ts";

/** Raised whenever a reader of an older export would go wrong. */
export const EXPORT_FORMAT = 1;

/** One file of an export. */
export interface ExportedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** One table of it. */
export interface ExportedTable {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
}

/** `about.json`: what an export is of, and every file but itself, by hash. */
export interface About {
  readonly kind: "govdata-export";
  readonly format: typeof EXPORT_FORMAT;
  readonly version: string;
  readonly sequence: number;
  readonly as_of: string;
  readonly methodology_version: string;
  /** When the version was made. */
  readonly created_at: string;
  /** DAOs that were fetched again since then; what the version says of their proposals still holds. */
  readonly fetched_since: readonly string[];
  /** Two exports with one key name their voters alike. */
  readonly pseudonyms: { readonly key_id: string };
  readonly tables: Readonly<Record<TableName, ExportedTable>>;
  readonly files: readonly ExportedFile[];
}

const HOW = `# A partitioned export of govdata

Parquet files, one folder a table and in it one a DAO; what stands here is told with hashes in \`about.json\`, which is written last.
\`sql/\`, where it is there, computes every score from these tables again.

- DuckDB: \`SELECT * FROM read_parquet('ballots/*/*.parquet', hive_partitioning = false)\`
- ClickHouse: \`SELECT * FROM file('ballots/*/*.parquet')\`
- pandas: \`pandas.read_parquet('ballots', partitioning=None)\`

The partition's column stands inside the files too, so that no reader needs to know of the folders' names. Columns in \`_ms\` are milliseconds since
1970 in UTC as whole numbers, which no reader shifts into a zone of its own. Null is "not known" or "not measured", never zero.
Powers of two DAOs have no unit in common, nor those of proposals with another \`measured_unit\`: count their voters together, never add their powers.

## Pseudonyms protect little

Voters, authors and accounts of logs are pseudonyms under a secret that only the home of this export has: they keep names and addresses out of
files, logs and screens, and no list of addresses can be hashed to find them. **They are no anonymity.** Votes are public where they were cast:
whoever compares times, choices and powers with Snapshot finds the address behind nearly every \`voter_id\`, and \`person_id\` then tells which wallets
the registry holds for one person's, of those who opted out too. Keep this export where you keep the home; publish the version instead.

\`discussion\` is a link as its author gave it, with f for each digit of an address in it. Rows of \`voters\`, and of \`ballots\` in a proposal, stand in the
order of pseudonyms, which tells nothing. \`delegates\` holds addresses and names as published, without the names of whoever has opted out.
`;

/** The README of an export: how to read it, what its pseudonyms do not do, and every column. */
export function exportReadme(): string {
  const sections = TABLE_NAMES.map((name) => {
    const { description, isPartitioned, columns } = TABLES[name];
    const path = `${isPartitioned ? `${name}/space_id=…/part-0` : name}.parquet`;
    return columnSection(name, `${description} \`${path}\``, columns);
  });
  return [HOW, ...sections].join("\n");
}
