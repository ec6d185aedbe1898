import { existsSync, renameSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { flushSync } from "../../snapshots/base/durable-files.ts";
import type { SqliteDatabase } from "../../snapshots/base/sqlite.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { COMMAND_BUSY_TIMEOUT_MS, findHome, type Home, homeAt, MOVED, openHome } from "../home.ts";
import { dailyLimitOf } from "../keys/accounts.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import type { Account } from "../keys/key-store.ts";
import { openKeyDatabase } from "../keys/open-key-database.ts";
import { newToken } from "../keys/redis/edit-key-book.ts";
import { type KeyBook, NO_POINT } from "../keys/redis/key-book.ts";
import { createMemoryBook } from "../keys/redis/memory-book.ts";
import { type OperatorFailure, operatorFailure, systemReason } from "../operator-error.ts";
import { type CountedIn, openEpochMemory } from "../quota/redis/quota-guard.ts";
import { countKey } from "../quota/redis/quota-scripts.ts";
import { setRedisCounts } from "../quota/redis/redis-counts.ts";
import { isBusy, openQuotaDatabase } from "../quota/sqlite/open-quota-database.ts";
import { prepareQuotaRows } from "../quota/sqlite/quota-rows.ts";
import type { RedisCall, RedisLink } from "../redis/redis-link.ts";
import type { CommandContext } from "./command-context.ts";

/** Adds `move`: from files on one host to a Redis for several. */
export function addMoveCommand({
  add,
  program,
  world,
  paths,
  tell,
  withKeyBook,
  printDone,
}: CommandContext): void {
  add(
    program,
    "move",
    "move accounts, keys and today's counts of this home to the Redis in GOVDATA_QUOTA, with every server stopped",
    "move",
  ).action(async () => {
    const { home } = paths();
    const { randomBytes } = world;
    const moved = await withKeyBook((book, link) => moveToRedis(home, { book, link, randomBytes }));
    tell(...movedLines(moved, resolve(home)));
    printDone({
      accounts: moved.accounts,
      keys: moved.keys,
      counted_day: moved.counts?.day ?? null,
      counted_accounts: moved.counts?.counted ?? 0,
    });
  });
}

function movedLines({ accounts, keys, counts }: Moved, home: string): readonly string[] {
  const lines = [`moved accounts: ${accounts}, keys: ${keys}`];
  if (counts !== undefined) {
    lines.push(
      `moved counts of ${counts.day}: ${counts.counted}; those of earlier days stay in quota.db.moved`,
    );
    if (counts.wasClosed)
      lines.push("that day was closed by a restore, so every account is at its limit in Redis too");
  }
  lines.push(
    `the files are now keys.db.moved and quota.db.moved in ${home}: nothing reads them; keep them as a backup`,
    "every host needs GOVDATA_QUOTA and the pepper of this home; a server without GOVDATA_QUOTA does not start here",
  );
  return lines;
}

/** The counts of what was moved. */
interface Moved {
  readonly accounts: number;
  readonly keys: number;
  /** Undefined if this home never counted. */
  readonly counts: MovedCounts | undefined;
}

/** The target of a move, and what the move uses. */
interface MoveParts {
  readonly book: KeyBook;
  readonly link: RedisLink;
  readonly randomBytes: RandomBytes;
}

/**
 * Moves accounts, keys and today's counts of a home into a Redis that has no keys yet, while nothing serves from either.
 * The files are renamed before anything can count in Redis, so that no day is granted twice; an interrupted move
 * continues when the command is run again.
 */
async function moveToRedis(directory: string, parts: MoveParts): Promise<Moved> {
  const home = homeAt(directory);
  const keys = holdFile(home.keysPath, (path) => openKeyDatabase(path, COMMAND_BUSY_TIMEOUT_MS));
  // Refuses with the words of any other command.
  if (keys === undefined) throw noKeys(findHome(directory));
  try {
    const counts = holdFile(home.quotaPath, (path) => openQuotaDatabase(path, { mayCreate: false }));
    try {
      return await moveHeld(openHome(directory), { keys, counts }, parts);
    } finally {
      counts?.letGo();
    }
  } finally {
    keys.letGo();
  }
}

async function moveHeld(
  home: Home,
  files: { readonly keys: HeldFile; readonly counts: HeldFile | undefined },
  { book, link, randomBytes }: MoveParts,
): Promise<Moved> {
  if ((await book.readSince(NO_POINT)).point.revision !== 0) throw begunBefore();
  const { store, rows } = createMemoryBook(files.keys.database);
  const accounts = store.accounts();
  if (accounts.length === 0) throw noKeys(home);
  const all = [...rows()].map(([field, json]) => ({ field, json }));
  const counting = { link, memory: openEpochMemory(home.directory), randomBytes };
  const counts = files.counts && (await moveCounts(counting, accounts, files.counts.database));
  // Keys first: without them nothing is counted in the old file, or in a new one.
  files.keys.setAside();
  files.counts?.setAside();
  if (!(await book.commit(NO_POINT, all, newToken(randomBytes)))) throw begunBefore();
  return { accounts: accounts.length, keys: store.keys().length, counts };
}

function noKeys({ keysPath }: Home): OperatorFailure {
  return operatorFailure(
    "KEYS_MISSING",
    `There is no account in ${keysPath}.`,
    "There is nothing to move: `key create` starts in Redis.",
  );
}

function begunBefore(): OperatorFailure {
  return operatorFailure(
    "HOME_NOT_EMPTY",
    "That Redis already has keys, and a move overwrites nothing.",
    `Use another database. If these are the keys of this home, moved earlier, check \`key list\`, and that keys.db and quota.db of the home end in ${MOVED}.`,
  );
}

/** What accounts have used of the current day in Redis. */
interface MovedCounts {
  readonly day: string;
  /** Accounts that have used something of it. */
  readonly counted: number;
  /** True where a restore had closed the day: then every account counts as at its limit. */
  readonly wasClosed: boolean;
}

/** Counts of one call; each is a run of a script. */
const COUNTS_MAX = 1_000;

/**
 * Brings what accounts have used today, by Redis' clock, out of a counter into Redis. A count that is higher there stays:
 * no account gets a unit a second time.
 */
async function moveCounts(
  parts: CountedIn,
  accounts: readonly Account[],
  database: SqliteDatabase,
): Promise<MovedCounts> {
  const day = await dayInRedis(parts.link);
  refuseClockBehind(database, day);
  const { usage, isOpened, ...rows } = prepareQuotaRows(database);
  const closedThrough = rows.closedThrough();
  const wasClosed = closedThrough !== undefined && closedThrough >= day;
  const usedHere = accounts.map((account): number => {
    const used = usage(account.name, day).find((row) => row.day === day)?.used ?? 0;
    return wasClosed && !isOpened(account.name, day) ? Math.max(used, dailyLimitOf(account)) : used;
  });
  for (let from = 0; from < accounts.length; from += COUNTS_MAX) {
    const some = accounts.slice(from, from + COUNTS_MAX);
    const there = await parts.link.call(
      some.map(({ name }): RedisCall => ["HGET", countKey(name, day), "used"]),
    );
    const counts = some.map(({ name }, at) => ({
      account: name,
      used: Math.max(usedHere[from + at] ?? 0, Number(there[at] ?? 0)),
    }));
    // Midnight in between is refused, and the next try finds the new day.
    await setRedisCounts(parts, counts, day);
  }
  return { day, counted: usedHere.filter((used) => used > 0).length, wasClosed };
}

async function dayInRedis(link: Pick<RedisLink, "call">): Promise<string> {
  const [time] = await link.call([["TIME"]]);
  const seconds = Number(Array.isArray(time) ? time[0] : Number.NaN);
  return dayOf(seconds * 1000);
}

/** Refuses counts for a later day than Redis' today: they would be granted again on that day. */
function refuseClockBehind(database: SqliteDatabase, day: string): void {
  const latest = database
    .prepare<[], { readonly day: string | null }>("SELECT max(day) AS day FROM quota")
    .get()?.day;
  if (latest === undefined || latest === null || latest <= day) return;
  throw operatorFailure(
    "CLOCK_BEHIND",
    `Redis' clock says ${day}, but this home has already counted on ${latest}.`,
    "Set the clock of the Redis machine (timedatectl) and try again.",
  );
}

/** A store held exclusively: no other process has it open or can open it until it is released. */
interface HeldFile {
  readonly database: SqliteDatabase;
  /** Gives it the name under which nobody looks for it; done before, it stays so. */
  readonly setAside: () => void;
  readonly letGo: () => void;
}

/**
 * Holds the store at `path` alone, or the one of that name that an earlier move has set aside; undefined where there is
 * neither. Refuses one that a server or another command has open.
 */
function holdFile(path: string, open: (path: string) => SqliteDatabase): HeldFile | undefined {
  const aside = `${path}${MOVED}`;
  const place = [path, aside].find((each) => existsSync(each));
  if (place === undefined) return undefined;
  const database = open(place);
  try {
    takeAlone(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    database,
    setAside: () => {
      if (place === aside) return;
      renameSync(path, aside);
      flushSync(dirname(path));
    },
    letGo: () => database.close(),
  };
}

/** Checks whether another process has the file open: if so, its write-ahead log cannot be removed. */
function takeAlone(database: SqliteDatabase): void {
  try {
    database.pragma("journal_mode = DELETE");
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw operatorFailure(
      "STORE_UNUSABLE",
      `The databases of this home are in use: ${systemReason(error)}.`,
      "Stop every server of this home, and wait for other commands to finish.",
      error,
    );
  }
}
