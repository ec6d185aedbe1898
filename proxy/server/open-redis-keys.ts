import { statSync } from "node:fs";
import { type Home, pepperFor, strandedKeysWarning } from "../home.ts";
import { createKeyLookup, type KeyLookup } from "../keys/key-lookup.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { Peppers } from "../keys/peppers.ts";
import { notBegun } from "../keys/redis/edit-key-book.ts";
import { FOLLOW_EVERY_MS, followKeyBook } from "../keys/redis/follow-key-book.ts";
import { type BookPoint, createKeyBook, NO_POINT, openPointMemory } from "../keys/redis/key-book.ts";
import { KeyBookError, tellingBookFailures } from "../keys/redis/key-book-error.ts";
import { tellingFileFailures } from "../operator-error.ts";
import type { RedisLink } from "../redis/redis-link.ts";
import type { ServerWorld } from "./server-world.ts";

const NOT_REMEMBERED =
  "keys-point in the home cannot be written: after a restart, an older copy of the keys in Redis would not be noticed";

/** The keys in Redis, as one server asks them. */
export interface RedisKeys {
  readonly lookup: KeyLookup;
  /** Does what a request does; throws while every request gets 503. */
  readonly probe: () => void;
  /** What an operator should hear at the start. */
  readonly warnings: readonly (string | undefined)[];
  readonly close: () => void;
}

/** What opening them needs besides the link, which has loaded `KEY_BOOK_SCRIPTS`. */
export interface RedisKeysWorld
  extends Pick<ServerWorld, "nowMs" | "monotonicMs" | "pepper" | "randomBytes" | "repeat"> {
  /** Told while serving: active keys that this host cannot recognise, or a memory that could not be written. */
  readonly onWarning: (warning: string) => void;
}

/**
 * Copies the keys from Redis and follows them. Refuses a Redis in which none were begun, one that holds less than this
 * home saw, and a host without the pepper of the others.
 */
export async function openRedisKeys(link: RedisLink, home: Home, world: RedisKeysWorld): Promise<RedisKeys> {
  const { nowMs, monotonicMs, randomBytes, onWarning } = world;
  const memory = tellingFileFailures("keys-point in the home", () => openPointMemory(home.keysPointPath));
  let peppers: Peppers | undefined;
  const remember = (point: BookPoint) => memory.remember(point).catch(() => onWarning(NOT_REMEMBERED));
  const lookAtPeppers = createPepperWatch(nowMs, onWarning);
  let seen: BookPoint | undefined;
  const followed = await tellingBookFailures(() =>
    followKeyBook({
      book: createKeyBook(link),
      known: memory.last() ?? NO_POINT,
      clocks: monotonicMs === undefined ? [nowMs] : [nowMs, monotonicMs],
      onChange: (store, point) => {
        seen = point;
        // At the start there are none yet, and what is wrong then is told in more words.
        if (peppers === undefined) return;
        lookAtPeppers(store, peppers);
        void remember(point);
      },
    }),
  );
  const { store, asked, poll } = followed;
  try {
    if (seen === undefined) throw notBegun();
    peppers = pepperFor(store, home, {
      given: world.pepper,
      randomBytes,
      shared: { mayCreate: false, tell: onWarning },
    });
    await remember(seen);
  } catch (error) {
    asked.close();
    throw error;
  }
  // The copying itself may have taken long.
  await poll();
  const endPolling = world.repeat(poll, FOLLOW_EVERY_MS);
  return {
    lookup: createKeyLookup({ store: asked, pepper: peppers, nowMs }),
    probe: () => void asked.findByDigest(Buffer.alloc(32)),
    warnings: [strandedKeysWarning(store, peppers, nowMs()), leftKeysWarning(home)],
    close: () => {
      endPolling();
      asked.close();
    },
  };
}

/** `move` sets the file aside; one that lies there still holds keys that open nothing here. */
function leftKeysWarning({ keysPath }: Home): string | undefined {
  if (statSync(keysPath, { throwIfNoEntry: false }) === undefined) return undefined;
  return "keys.db in the home is not asked, as GOVDATA_QUOTA names a Redis: what is revoked or made in it changes nothing here";
}

/** Looks at each change whether this host can still recognise keys: to answer 401 to all of them would be wrong. */
function createPepperWatch(nowMs: () => number, onWarning: (warning: string) => void) {
  let told: string | undefined;
  return (store: KeyStore, peppers: Peppers): void => {
    if (!store.acceptsPeppers(peppers)) {
      throw new KeyBookError(
        "KEYS_PEPPER",
        "The keys in Redis are stored under another pepper than this host's.",
      );
    }
    const warning = strandedKeysWarning(store, peppers, nowMs());
    if (warning !== undefined && warning !== told) onWarning(warning);
    told = warning;
  };
}
