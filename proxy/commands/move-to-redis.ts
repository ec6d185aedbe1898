import { COMMAND_BUSY_TIMEOUT_MS, findHome, type Home, homeAt, MOVED, openHome } from "../home.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import { openKeyDatabase } from "../keys/open-key-database.ts";
import { newToken } from "../keys/redis/edit-key-book.ts";
import { type KeyBook, NO_POINT } from "../keys/redis/key-book.ts";
import { createMemoryBook } from "../keys/redis/memory-book.ts";
import { OperatorError } from "../operator-error.ts";
import { openEpochMemory } from "../quota/redis/epoch-memory.ts";
import { openQuotaDatabase } from "../quota/sqlite/open-quota-database.ts";
import type { RedisLink } from "../redis/redis-link.ts";
import { type HeldFile, holdFile } from "./hold-files.ts";
import { type MovedCounts, moveCounts } from "./move-counts.ts";

/** What was moved. */
export interface Moved {
  readonly accounts: number;
  readonly keys: number;
  /** Undefined where this home never counted. */
  readonly counts: MovedCounts | undefined;
}

/** Where to, and by what. */
export interface MoveParts {
  readonly book: KeyBook;
  readonly link: RedisLink;
  readonly randomBytes: RandomBytes;
}

/**
 * Moves accounts, keys and today's counts of a home into a Redis that has no keys yet, while nothing serves from either.
 * The files are set aside before anybody can count there, so that no day is given twice; a move that was cut off goes on
 * when the command is given again.
 */
export async function moveToRedis(directory: string, parts: MoveParts): Promise<Moved> {
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
  const id = newToken(randomBytes);
  const all = [...rows()].map(([field, json]) => ({ field, json }));
  await book.draft(id, all);
  const counting = { link, memory: openEpochMemory(home.directory), newEpoch: () => newToken(randomBytes) };
  const counts = files.counts && (await moveCounts(counting, accounts, files.counts.database));
  // The keys first: without them nobody counts in the other file, or anew.
  files.keys.setAside();
  files.counts?.setAside();
  if (!(await book.begin(id, all.length, newToken(randomBytes)))) throw begunBefore();
  return { accounts: accounts.length, keys: store.keys().length, counts };
}

function noKeys({ keysPath }: Home): OperatorError {
  return new OperatorError(
    "KEYS_MISSING",
    `There is no account in ${keysPath}.`,
    "Nothing is to be moved: `key create` begins in Redis.",
  );
}

function begunBefore(): OperatorError {
  return new OperatorError(
    "HOME_NOT_EMPTY",
    "There are keys in that Redis, and a move writes over nothing.",
    `Name another database of it. Where they are those of this home, moved before: look at key list, and see that keys.db and quota.db of the home are called ${MOVED}.`,
  );
}
