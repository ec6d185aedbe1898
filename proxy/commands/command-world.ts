import { existsSync } from "node:fs";
import type { FollowProcess } from "../follow/supervise.ts";
import {
  COMMAND_BUSY_TIMEOUT_MS,
  findHome,
  type Home,
  hasLostKeys,
  homeAt,
  openHome,
  pepperFor,
  refuseMovedKeys,
  sharedPepperFor,
} from "../home.ts";
import type { RandomBytes } from "../keys/key-format.ts";
import type { KeyRingParts } from "../keys/key-ring.ts";
import { type KeyStore, openKeyStore } from "../keys/key-store.ts";
import type { Peppers } from "../keys/peppers.ts";
import { KEY_BOOK_SCRIPTS } from "../keys/redis/book-scripts.ts";
import { editKeyBook } from "../keys/redis/edit-key-book.ts";
import { createKeyBook, type KeyBook } from "../keys/redis/key-book.ts";
import { tellingBookFailures } from "../keys/redis/key-book-error.ts";
import { QUOTA_SCRIPTS } from "../quota/redis/quota-scripts.ts";
import { openRedisLink, type RedisLink } from "../redis/redis-link.ts";
import { type Environment, type Places, readPlaces, usage } from "../settings.ts";
import type { RemoteStatus } from "../snapshot/snapshot-source.ts";

/** A stream that text is written to. */
export interface TextSink {
  write(text: string, done?: (error?: Error | null) => void): unknown;
  /** Bytes it was given and has not got rid of, where it knows. */
  readonly writableLength?: number;
  /** How wide it is, where it is a terminal. */
  readonly columns?: number;
}

/** What the world gives to a command; tests give their own. */
export interface CommandWorld {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly environment: Environment;
  readonly nowMs: () => number;
  /** A finer clock for how long something took, which nobody sets; the wall's where there is none. */
  readonly monotonicMs?: () => number;
  readonly randomBytes: RandomBytes;
  /** Calls back at each request to stop; returns the way to stop listening. */
  readonly onStopSignal: (stop: () => void) => () => void;
  /** Writes to stdout and comes back when the text has left this process; rejects where it cannot. */
  readonly deliver?: (text: string) => Promise<void>;
  /** The first line that comes on stdin, or what comes before its end. */
  readonly readLine?: () => Promise<string>;
  /** Whether whatever is written to stdout is lost: it was closed, or leads to the null device. */
  readonly isStdoutNowhere?: () => boolean;
  /** How many files this process may have open at once, where the system says. */
  readonly openFilesMax?: () => number | undefined;
  /** Starts this program once more, with these words and this environment, to follow a remote address. */
  readonly startFollower?: (words: readonly string[], environment: Environment) => FollowProcess;
  /** The server that this process follows for, where one started it. */
  readonly parent?: {
    readonly report: (status: RemoteStatus) => void;
    /** Calls back when that server is gone, however it ended. */
    readonly onGone: (end: () => void) => void;
  };
  /** Calls back when the process ends, whatever ends it; returns the way to stop listening. */
  readonly onExit?: (task: () => void) => () => void;
}

/** The global flags, as they were given. */
export interface GlobalFlags extends Partial<Places> {
  readonly json?: boolean;
}

/** Exit code of what was told to stop twice: it did not finish. */
export const CUT_SHORT = 130;

/** Waits for the first request to stop and does so; resolves at once at the second. True when everything finished. */
export function stopped(world: CommandWorld, stop: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const unsubscribe = world.onStopSignal(() => {
      signals += 1;
      if (signals > 1) {
        unsubscribe();
        resolve(false);
        return;
      }
      stop().then(() => {
        unsubscribe();
        resolve(true);
      }, reject);
    });
  });
}

/**
 * Does some work with the keys, for one command. Only a command that begins something makes a home. The work may be done
 * twice, where another command wrote meanwhile: whatever is printed is printed after it.
 */
export async function withStore<Result>(
  world: CommandWorld,
  flags: GlobalFlags,
  work: (store: KeyStore, home: Home) => Result,
  mayMakeHome = false,
): Promise<Result> {
  const { home: directory } = readPlaces(flags, world.environment);
  if (areKeysInRedis(world.environment)) {
    const home = mayMakeHome ? openHome(directory) : homeAt(directory);
    // A home that has seen keys there does not begin new ones: those of its callers are lost, or it is another Redis.
    const mayBegin = mayMakeHome && !existsSync(home.keysPointPath);
    return withKeyBook(world, (book) =>
      editKeyBook(book, { randomBytes: world.randomBytes, mayBegin }, (store) => work(store, home)),
    );
  }
  const home = mayMakeHome ? openHome(directory) : findHome(directory);
  refuseMovedKeys(home);
  if (hasLostKeys(home)) {
    world.stderr.write(
      "warning: a server served from this home, and its keys.db was gone: a new one is begun, without any key made before\n",
    );
  }
  const store = openKeyStore(home.keysPath, COMMAND_BUSY_TIMEOUT_MS);
  try {
    return work(store, home);
  } finally {
    store.close();
  }
}

/** As `withStore`, with the pepper: for the commands that make keys. */
export function withKeyRing<Result>(
  world: CommandWorld,
  flags: GlobalFlags,
  work: (parts: KeyRingParts) => Result,
  mayMakeHome = false,
): Promise<Result> {
  const { randomBytes } = world;
  return withStore(
    world,
    flags,
    (store, home) => {
      const [pepper] = peppersFor(world, store, home);
      return work({ store, pepper, nowMs: world.nowMs(), randomBytes });
    },
    mayMakeHome,
  );
}

/** The peppers of these keys, wherever they lie; made where there are no keys yet. */
export function peppersFor(world: CommandWorld, store: KeyStore, home: Home): Peppers {
  const { randomBytes, environment, stderr } = world;
  const given = environment["GOVDATA_PEPPER"];
  if (!areKeysInRedis(environment)) return pepperFor(store, home, { given, randomBytes });
  const tell = (words: string) => void stderr.write(`${words}\n`);
  return sharedPepperFor(store, home, { given, randomBytes, mayCreate: true, tell });
}

/** No caller waits for a command, and a large book takes its time. */
const COMMAND_TIMEOUT_MS = 5_000;

/** The Redis that holds keys and counts, where one is named. */
export function redisUrlOf(environment: Environment): string | undefined {
  const url = environment["GOVDATA_QUOTA"];
  return url === "" ? undefined : url;
}

/** Whether keys and counts lie in Redis, and not in the home. */
export function areKeysInRedis(environment: Environment): boolean {
  return redisUrlOf(environment) !== undefined;
}

/** Does some work with the keys in Redis, for one command. */
export async function withKeyBook<Result>(
  world: { readonly environment: Environment },
  work: (book: KeyBook, link: RedisLink) => Promise<Result>,
): Promise<Result> {
  const url = redisUrlOf(world.environment);
  if (url === undefined)
    throw usage("GOVDATA_QUOTA names no Redis.", "Set it to redis://HOST:PORT/DATABASE.");
  const scripts = [...KEY_BOOK_SCRIPTS, ...QUOTA_SCRIPTS];
  const link = await openRedisLink(url, { scripts, callTimeoutMs: COMMAND_TIMEOUT_MS });
  try {
    return await tellingBookFailures(() => work(createKeyBook(link), link));
  } finally {
    link.close();
  }
}
