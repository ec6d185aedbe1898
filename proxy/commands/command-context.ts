import { existsSync } from "node:fs";
import type { Command } from "commander";
import { describedCommand } from "../../snapshots/base/command-line/program.ts";
import { type Column, formatTable } from "../../snapshots/base/command-line/table.ts";
import { badOption } from "../../snapshots/base/command-line/values.ts";
import {
  COMMAND_BUSY_TIMEOUT_MS,
  findHome,
  type Home,
  hasLostKeys,
  homeAt,
  openHome,
  pepperFor,
  refuseMovedKeys,
} from "../home.ts";
import type { KeyRingParts } from "../keys/key-ring.ts";
import { type KeyStore, openKeyStore } from "../keys/key-store.ts";
import type { Peppers } from "../keys/peppers.ts";
import { editKeyBook } from "../keys/redis/edit-key-book.ts";
import {
  createKeyBook,
  explainingBookFailures,
  KEY_BOOK_SCRIPTS,
  type KeyBook,
} from "../keys/redis/key-book.ts";
import { operatorFailure } from "../operator-error.ts";
import { QuotaLostError } from "../quota/redis/quota-guard.ts";
import { QUOTA_SCRIPTS } from "../quota/redis/quota-scripts.ts";
import { openRedisLink, type RedisLink } from "../redis/redis-link.ts";
import { type Paths, readPaths } from "../settings.ts";
import type { CommandWorld, TextSink } from "./command-world.ts";

interface GlobalFlags extends Partial<Paths> {
  readonly json?: boolean;
}

/** Long, because no caller waits for a command and a large key book takes time. */
const COMMAND_TIMEOUT_MS = 5_000;

/** What commands share: adding a command, paths, keys, and output. */
export type CommandContext = ReturnType<typeof commandContext>;

/** The context of a program's commands in a world; flags are read when a command runs. */
export function commandContext(program: Command, world: CommandWorld) {
  const { environment, stdout, stderr, randomBytes } = world;
  const flags = () => program.opts<GlobalFlags>();
  const isJson = () => flags().json === true;
  const paths = () => readPaths(flags(), environment);
  const given = (name: "GOVDATA_QUOTA" | "GOVDATA_PEPPER") => environment[name] || undefined;
  /** Whether keys and counts are in Redis instead of in the home. */
  const areKeysInRedis = () => given("GOVDATA_QUOTA") !== undefined;
  /** Prints a note for the person at the terminal; only results go to stdout. */
  const tell = (...lines: readonly string[]) => {
    for (const line of lines) stderr.write(`${line}\n`);
  };

  /** Runs work on the keys in Redis. */
  const withKeyBook = async <Result>(
    work: (book: KeyBook, link: RedisLink) => Promise<Result>,
  ): Promise<Result> => {
    const url = given("GOVDATA_QUOTA");
    if (url === undefined)
      throw badOption("GOVDATA_QUOTA is not set.", "Set it to redis://HOST:PORT/DATABASE.");
    const scripts = [...KEY_BOOK_SCRIPTS, ...QUOTA_SCRIPTS];
    const link = await openRedisLink(url, { scripts, callTimeoutMs: COMMAND_TIMEOUT_MS });
    try {
      return await explainingBookFailures(() => work(createKeyBook(link), link));
    } catch (error) {
      if (!(error instanceof QuotaLostError)) throw error;
      const hint = "Run the command again.";
      throw operatorFailure("STORE_UNUSABLE", `Counts in Redis: ${error.message}.`, hint, error);
    } finally {
      link.close();
    }
  };

  /**
   * Does some work with the keys. Only a command that begins something makes a home. The work may be done twice, where
   * another command wrote meanwhile: whatever is printed is printed after it.
   */
  const withStore = async <Result>(
    work: (store: KeyStore, home: Home) => Result,
    { mayMakeHome = false } = {},
  ): Promise<Result> => {
    const directory = paths().home;
    if (areKeysInRedis()) {
      const home = mayMakeHome ? openHome(directory) : homeAt(directory);
      // If this home has seen keys there, do not start anew: its callers' keys are lost, or this is another Redis.
      const mayBegin = mayMakeHome && !existsSync(home.keysPointPath);
      return withKeyBook((book) =>
        editKeyBook(book, { randomBytes, mayBegin }, (store) => work(store, home)),
      );
    }
    const home = mayMakeHome ? openHome(directory) : findHome(directory);
    refuseMovedKeys(home);
    if (hasLostKeys(home)) {
      tell(
        "warning: a server has used this home, but its keys.db is gone: a new one is started, without the earlier keys",
      );
    }
    const store = openKeyStore(home.keysPath, COMMAND_BUSY_TIMEOUT_MS);
    try {
      return work(store, home);
    } finally {
      store.close();
    }
  };

  /** The peppers of these keys, in files or in Redis; created if there are no keys yet. */
  const peppersFor = (store: KeyStore, home: Home): Peppers => {
    const shared = areKeysInRedis() ? { shared: { mayCreate: true, tell } } : {};
    return pepperFor(store, home, { given: given("GOVDATA_PEPPER"), randomBytes, ...shared });
  };

  return {
    world,
    isJson,
    paths,
    tell,
    areKeysInRedis,
    withKeyBook,
    withStore,
    peppersFor,
    /** The pepper from the environment. */
    givenPepper: () => given("GOVDATA_PEPPER"),
    /** As `withStore`, with the pepper: for the commands that make keys. */
    withKeyRing: <Result>(
      work: (parts: KeyRingParts) => Result,
      options?: { mayMakeHome: boolean },
    ): Promise<Result> =>
      withStore((store, home) => {
        const [pepper] = peppersFor(store, home);
        return work({ store, pepper, nowMs: world.nowMs(), randomBytes });
      }, options),
    /** Prints a list, for people or as JSON. */
    printRows: (rows: readonly Row[], columns: Columns) =>
      printRows(stdout, rows, { ...columns, asJson: isJson() }),
    /** Prints the result of a command as one line of JSON, if JSON was requested. */
    printDone: (did: Row) => {
      if (isJson()) stdout.write(`${JSON.stringify(did)}\n`);
    },
    /** Adds a command, with an example under its help. */
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

/** What a list shows. */
interface Columns {
  readonly columns: readonly string[];
  /** Columns that a narrow terminal omits; ids and names are never omitted or cut. */
  readonly mayGo?: readonly string[];
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}):\d{2}(\.\d{3})?Z$/;

/** A value for people: moments to the minute, and a dash for none. */
const cellOf = (row: Row, column: string): string => String(row[column] ?? "-").replace(MOMENT, "$1 $2Z");

/** Prints a list for people, in columns that fit a terminal, or as a JSON array, which always has all of it. */
function printRows(
  out: TextSink,
  rows: readonly Row[],
  { asJson, columns, mayGo = [] }: Columns & { readonly asJson: boolean },
): void {
  const shown = columns.map(
    (heading): Column<Row> => ({
      heading,
      of: (row) => cellOf(row, heading),
      ...(mayGo.includes(heading) ? { fit: "drop" } : {}),
    }),
  );
  out.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : formatTable(rows, shown, out.columns));
}
