import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RandomBytes } from "./keys/key-format.ts";
import type { KeyStore } from "./keys/key-store.ts";
import type { Peppers } from "./keys/peppers.ts";
import { loadPeppers } from "./keys/peppers.ts";
import { OperatorError, tellingFileFailures } from "./operator-error.ts";

/** How long a server's key lookup may wait for a command that is writing. */
export const SERVER_BUSY_TIMEOUT_MS = 100;

/** How long a command may wait for another command; nobody's request waits behind it. */
export const COMMAND_BUSY_TIMEOUT_MS = 5_000;

/** The proxy's own folder, made at first use for its owner alone. */
export interface Home {
  readonly directory: string;
  readonly keysPath: string;
  readonly quotaPath: string;
  readonly pepperPath: string;
  /** What a server saw last of keys in Redis. */
  readonly keysPointPath: string;
}

/** The home that is there. A command that only asks must not make an empty one, in which every key is unknown. */
export function findHome(directory: string): Home {
  const home = homeAt(directory);
  const isThere = tellingFileFailures(`The home ${resolve(directory)}`, () => {
    return statSync(home.keysPath, { throwIfNoEntry: false }) !== undefined;
  });
  if (isThere) return home;
  refuseLostKeys(home);
  throw new OperatorError(
    "HOME_UNUSABLE",
    `There is no home with keys at ${resolve(directory)}.`,
    "Name the server's: --home DIR or GOVDATA_PROXY_HOME. `key create`, `account create` and `serve` make one.",
  );
}

/** Opens the home, making it (0700) where it is missing. */
export function openHome(directory: string): Home {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OperatorError(
      "HOME_UNUSABLE",
      `The home ${directory} cannot be made.`,
      "Name a folder this user may write to: --home DIR",
      error,
    );
  }
  return homeAt(directory);
}

/** What only a server leaves behind, and it makes `keys.db` before either. */
const TRACES = ["quota.db", "highest-sequence"] as const;

/** Whether a server served from here before and `keys.db` is gone: an empty one in its place would refuse every caller. */
export function hasLostKeys({ directory, keysPath }: Home): boolean {
  const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  // The traces first: of two first servers in a new home, the other may be making all of them meanwhile.
  return tellingFileFailures(`The home ${resolve(directory)}`, () => {
    return TRACES.some((name) => isThere(join(directory, name))) && !isThere(keysPath);
  });
}

/** What a store is called once it was moved to Redis. */
export const MOVED = ".moved";

/** Refuses to go on with files where the keys are in Redis: what is counted and revoked there would not hold here. */
export function refuseMovedKeys({ directory, keysPath, keysPointPath }: Home): void {
  const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  const areInRedis = tellingFileFailures(`The home ${resolve(directory)}`, () => {
    return (isThere(keysPointPath) || isThere(`${keysPath}${MOVED}`)) && !isThere(keysPath);
  });
  if (!areInRedis) return;
  throw new OperatorError(
    "KEYS_MISSING",
    `The keys of the home ${resolve(directory)} are in Redis, and GOVDATA_QUOTA does not name one.`,
    "Set GOVDATA_QUOTA as the server has it. To go back to files: `backup` with it, `restore` without it, into a new --home.",
  );
}

/** Refuses to serve without the keys that callers hold. */
export function refuseLostKeys(home: Home): void {
  refuseMovedKeys(home);
  if (!hasLostKeys(home)) return;
  throw new OperatorError(
    "KEYS_MISSING",
    `A server served from the home ${resolve(home.directory)}, and its keys.db is gone: every caller would get 401.`,
    "Put keys.db back, or `restore DIR --keep-quota` a backup. Where its keys are given up, `key create` begins a new one.",
  );
}

/** The places of a home, whether it is there or not. */
export function homeAt(directory: string): Home {
  return {
    directory,
    keysPath: join(directory, "keys.db"),
    quotaPath: join(directory, "quota.db"),
    pepperPath: join(directory, "pepper"),
    keysPointPath: join(directory, "keys-point"),
  };
}

/** The peppers a store's keys were stored under, newest first, made where there are no keys yet; refuses any other. */
export function pepperFor(
  store: KeyStore,
  home: Home,
  source: { readonly given: string | undefined; readonly randomBytes: RandomBytes },
): Peppers {
  const peppers = loadPeppers({
    given: source.given === "" ? undefined : source.given,
    path: home.pepperPath,
    mayCreate: store.keys().length === 0,
    randomBytes: source.randomBytes,
  });
  if (store.acceptsPeppers(peppers)) return peppers;
  throw new OperatorError(
    "PEPPER_MISMATCH",
    "The keys in this home were stored under another pepper, so they could not be recognised.",
    "Put the right pepper back: a new one goes above it, as the first of two lines. Or use another --home.",
  );
}

/**
 * As `pepperFor`, of keys in Redis that several hosts share. A host makes a pepper of its own only where it makes the
 * very first key; any other would store and seek keys that no other host knows.
 */
export function sharedPepperFor(
  store: KeyStore,
  home: Home,
  source: {
    readonly given: string | undefined;
    readonly randomBytes: RandomBytes;
    readonly mayCreate: boolean;
    readonly tell: (words: string) => void;
  },
): Peppers {
  const given = source.given === "" ? undefined : source.given;
  const hasKeys = store.keys().length > 0;
  const isHere = given !== undefined || statSync(home.pepperPath, { throwIfNoEntry: false }) !== undefined;
  const copyIt = `Copy it from a host that has it to ${home.pepperPath} (mode 600), or set GOVDATA_PEPPER.`;
  if (!isHere && (hasKeys || !source.mayCreate)) {
    const first = hasKeys ? "" : " On the first host `key create` makes it.";
    const message = "This host has no pepper, and keys in Redis need the same one on every host.";
    throw new OperatorError("PEPPER_MISSING", message, `${copyIt}${first}`);
  }
  const { randomBytes } = source;
  const peppers = loadPeppers({ given, path: home.pepperPath, mayCreate: !hasKeys, randomBytes });
  if (!isHere) {
    source.tell(
      `a pepper was made at ${resolve(home.pepperPath)}: every host of these keys needs a copy of it`,
    );
  }
  // A server asks of keys that are there, and leaves it to the first key which pepper is the book's.
  if ((!hasKeys && !source.mayCreate) || store.acceptsPeppers(peppers)) return peppers;
  const message = "The keys in Redis were stored under another pepper than the one of this host.";
  throw new OperatorError("PEPPER_MISMATCH", message, copyIt);
}

/** What an operator should hear of keys whose pepper is not among these; nothing where all can be used. */
export function strandedKeysWarning(store: KeyStore, peppers: Peppers, nowMs: number): string | undefined {
  const count = store.countStranded(peppers, nowMs);
  if (count === 0) return undefined;
  return (
    `${count} active ${count === 1 ? "key was" : "keys were"} stored under a pepper that is not there, and ` +
    "will get 401: put the old pepper back as the last line, or rotate or revoke them (key list names the pepper)"
  );
}
