import type { Command } from "commander";
import { describedCommand } from "../../snapshots/base/command-line/program.ts";
import { type Column, formatTable } from "../../snapshots/base/command-line/table.ts";
import { type Home, pepperFor } from "../home.ts";
import type { KeyIssuer } from "../keys/issue-keys.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { Peppers } from "../keys/peppers.ts";
import { type Paths, readPaths } from "../settings.ts";
import type { CommandWorld } from "./command-world.ts";

interface GlobalFlags extends Partial<Paths> {
  readonly json?: boolean;
}

export type CommandContext = ReturnType<typeof commandContext>;

export function commandContext(program: Command, world: CommandWorld) {
  const { environment, stdout, stderr, randomBytes } = world;
  const flags = () => program.opts<GlobalFlags>();
  const isJson = () => flags().json === true;
  const paths = () => readPaths(flags(), environment);
  const given = (name: "GOVDATA_QUOTA" | "GOVDATA_PEPPER") => environment[name] || undefined;
  /** The Redis that holds keys and counts; undefined if they are files in the home. */
  const redisUrl = () => given("GOVDATA_QUOTA");
  /** Prints a note for the person at the terminal; only results go to stdout. */
  const tell = (...lines: readonly string[]) => {
    for (const line of lines) stderr.write(`${line}\n`);
  };

  /** Loaded with the first command that needs it. */
  const stores = () => import("../server/open-stores.ts");

  /** Does some work with the keys, as `editKeys`; whatever is printed is printed after it. */
  const withKeys = async <Result>(
    work: (table: KeyTable, home: Home) => Result,
    { mayMakeHome = false } = {},
  ): Promise<Result> => {
    const { editKeys } = await stores();
    const { nowMs } = world;
    return editKeys(
      { url: redisUrl(), directory: paths().home, mayMakeHome, nowMs, randomBytes, tell },
      work,
    );
  };

  /** The peppers of these keys, in files or in Redis; created if there are no keys yet. */
  const peppersFor = (table: KeyTable, home: Home): Peppers => {
    const shared = redisUrl() !== undefined ? { shared: { mayCreate: true, tell } } : {};
    return pepperFor(table, home, { given: given("GOVDATA_PEPPER"), randomBytes, ...shared });
  };

  return {
    world,
    isJson,
    paths,
    tell,
    redisUrl,
    withKeys,
    openCounts: async (home: Home) => (await stores()).openCounts(redisUrl(), home, world),
    peppersFor,
    givenPepper: () => given("GOVDATA_PEPPER"),
    /** As `withKeys`, with the pepper: for the commands that make keys. */
    withKeyIssuer: <Result>(
      work: (parts: KeyIssuer) => Result,
      options?: { mayMakeHome: boolean },
    ): Promise<Result> =>
      withKeys((table, home) => {
        const [pepper] = peppersFor(table, home);
        return work({ table, pepper, nowMs: world.nowMs(), randomBytes });
      }, options),
    /** Prints a list for people, in columns that fit a terminal, or as a JSON array, which always has all of it. */
    printRows: (rows: readonly Row[], { columns, mayGo = [] }: Columns): void => {
      const shown = columns.map(
        (heading): Column<Row> => ({
          heading,
          cell: (row) => cellOf(row, heading),
          ...(mayGo.includes(heading) ? { fit: "drop" } : {}),
        }),
      );
      stdout.write(
        isJson() ? `${JSON.stringify(rows, null, 2)}\n` : formatTable(rows, shown, stdout.columns),
      );
    },
    printDone: (did: Row) => {
      if (isJson()) stdout.write(`${JSON.stringify(did)}\n`);
    },
    add: (parent: Command, name: string, description: string, example: string): Command => {
      const command = describedCommand({ name, description, example: `govdata-proxy ${example}` });
      parent.addCommand(command);
      return command;
    },
    program,
  };
}

/** One line of a list: names and values in the order they are shown. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

interface Columns {
  readonly columns: readonly string[];
  /** Columns that a narrow terminal omits; ids and names are never omitted or cut. */
  readonly mayGo?: readonly string[];
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(\.\d{3})?Z$/;

/** A value for people: moments to the minute, and a dash for none. */
const cellOf = (row: Row, column: string): string => String(row[column] ?? "-").replace(MOMENT, "$1 $2Z");
