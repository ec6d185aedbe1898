import {
  type Column,
  DELEGATE_COLUMNS,
  DELEGATE_DAY_COLUMNS,
  GOVERNANCE_INDEX_COLUMNS,
  HISTORY_COLUMNS,
  nullable,
  SPACE_ID,
} from "../tables/columns.ts";
import { columnSection } from "../tables/dictionary.ts";
import { BALLOT_COLUMNS, VOTER_COLUMNS } from "./columns/cast-vote-columns.ts";
import { DELEGATE_LIST_COLUMNS, DELEGATION_EVENT_COLUMNS } from "./columns/delegation-columns.ts";
import { KNOWN_PROPOSAL_COLUMNS, SPACE_COLUMNS } from "./columns/known-proposal-columns.ts";
import { INDICATOR_COLUMNS, SCORES_COLUMNS } from "./columns/score-columns.ts";

/** One table: its rows, its columns, and whether each DAO has its own file. */
interface PartitionedTable {
  readonly description: string;
  readonly isPartitioned: boolean;
  readonly columns: readonly Column[];
  /** Rows per row group, for tables with millions of rows. */
  readonly groupRows: number | undefined;
}

const LISTING_MOMENT = nullable(
  "as_of_ms",
  "integer",
  "ms",
  "The moment that the listing is of, since 1970 in UTC; null where its logs have no times.",
);

/** Every table with its columns, and where there are millions of rows, how many are in a row group; files, README and tests come from here. */
export const TABLES = {
  spaces: whole(SPACE_COLUMNS, "One row a DAO of the version."),
  voters: whole(VOTER_COLUMNS, "One row a voter with a vote in `ballots`.", 2 ** 16),
  proposals: partitioned(
    KNOWN_PROPOSAL_COLUMNS,
    "One row a known proposal: its facts, and as `measured_…` what the version says of it.",
  ),
  ballots: partitioned(BALLOT_COLUMNS, "One row a vote, the last of each voter.", 2 ** 16),
  scores: whole(SCORES_COLUMNS, "One row a DAO as of the version, not rounded."),
  indicators: whole(INDICATOR_COLUMNS, "One row an indicator of each component, not rounded."),
  history: partitioned(HISTORY_COLUMNS, "One row a DAO and day with enough data, rounded as published."),
  delegates: partitioned(
    [...DELEGATE_COLUMNS, LISTING_MOMENT],
    "One row a delegate: the whole latest ranking, by address, as published.",
  ),
  delegate_days: partitioned([SPACE_ID, ...DELEGATE_DAY_COLUMNS], "One row a dated listing: its totals."),
  delegate_lists: partitioned(
    DELEGATE_LIST_COLUMNS,
    "One row a delegate in each list that a source drew up, complete or not.",
  ),
  delegation_events: partitioned(
    DELEGATION_EVENT_COLUMNS,
    "One row a log of the token, in the order of block and log.",
  ),
  dgi: whole(GOVERNANCE_INDEX_COLUMNS, "One row a day of the index, then one as of the version."),
} satisfies Readonly<Record<string, PartitionedTable>>;

export type TableName = keyof typeof TABLES;

/** The tables of a partitioned export. */
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** A table with a file for each DAO. */
function partitioned(columns: readonly Column[], description: string, groupRows?: number): PartitionedTable {
  return { description, isPartitioned: true, columns, groupRows };
}

/** A table with one file for all DAOs. */
function whole(columns: readonly Column[], description: string, groupRows?: number): PartitionedTable {
  return { description, isPartitioned: false, columns, groupRows };
}

/** Where a table's rows of one DAO lie in an export, or all of them. */
export function pathOfTable(name: TableName, spaceId: string): string {
  return TABLES[name].isPartitioned ? `${name}/space_id=${spaceId}/part-0.parquet` : `${name}.parquet`;
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
whoever compares times, choices and powers with Snapshot finds the address behind nearly every \`voter_id\`; \`person_id\` then tells which wallets
the registry holds for one person's, and \`is_labelled\` that it knows them, of those who opted out too. Keep this export where you keep the home; publish the version instead.

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
