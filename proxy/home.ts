import { mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RandomBytes } from "./keys/key-format.ts";
import type { KeyTable } from "./keys/key-table.ts";
import { loadPeppers, type Peppers } from "./keys/peppers.ts";
import { explainingFileFailures, operatorFailure } from "./operator-error.ts";
import { SEQUENCE_FILE } from "./snapshot/sequence-memory.ts";

/** How long a server's key lookup may wait for a command that is writing. */
export const SERVER_BUSY_TIMEOUT_MS = 100;

/** How long a command may wait for another command; no request waits for it. */
export const COMMAND_BUSY_TIMEOUT_MS = 5_000;

/** The proxy's own folder, created at first use and accessible only to its owner. */
export interface Home {
  readonly directory: string;
  readonly keysPath: string;
  readonly quotaPath: string;
  readonly pepperPath: string;
  /** The last state of the keys in Redis that a server saw. */
  readonly keysPointPath: string;
}

/** Opens an existing home. A read-only command must not create an empty one, in which every key is unknown. */
export function findHome(directory: string): Home {
  const home = homeAt(directory);
  if (placeOfKeys(home) === "home") return home;
  refuseAbsentKeys(home);
  throw operatorFailure(
    "HOME_UNUSABLE",
    `There is no home with keys at ${resolve(directory)}.`,
    "Name the server's home with --home DIR or GOVDATA_PROXY_HOME. `key create`, `account create` and `serve` create one.",
  );
}

export function openHome(directory: string): Home {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw operatorFailure(
      "HOME_UNUSABLE",
      `The home ${directory} cannot be created.`,
      "Name a folder this user may write to: --home DIR",
      error,
    );
  }
  return homeAt(directory);
}

/** Files that only a server creates, after `keys.db`. */
const TRACES = ["quota.db", SEQUENCE_FILE] as const;

/** Where the keys of a home are. `lost`: a server ran here before, and an empty `keys.db` would refuse every caller. */
export function placeOfKeys(home: Home): "home" | "Redis" | "lost" | "nowhere" {
  const { directory, keysPath, keysPointPath } = home;
  return explainingFileFailures(`The home ${resolve(directory)}`, () => {
    // Check the traces first: in a new home, another first server may be creating all these files now.
    const hasServed = TRACES.some((name) => isThere(join(directory, name)));
    if (isThere(keysPath)) return "home";
    // Version 0.6.0 gave keys that it moved to Redis this name.
    if (isThere(keysPointPath) || isThere(`${keysPath}.moved`)) return "Redis";
    return hasServed ? "lost" : "nowhere";
  });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Refuses to use files if the keys are in Redis, where counts and revocations here would not apply, or if they are lost. */
export function refuseAbsentKeys(home: Home, { mayBeLost = false } = {}): void {
  const place = placeOfKeys(home);
  if (place === "Redis") {
    throw operatorFailure(
      "KEYS_MISSING",
      `The keys of the home ${resolve(home.directory)} are in Redis, but GOVDATA_QUOTA is not set.`,
      "Set GOVDATA_QUOTA to the server's Redis. To go back to files, run `backup` with it, then `restore` without it into a new --home.",
    );
  }
  if (place !== "lost" || mayBeLost) return;
  throw operatorFailure(
    "KEYS_MISSING",
    `The home ${resolve(home.directory)} has been used by a server, but its keys.db is gone: every caller would get 401.`,
    "Put keys.db back, or restore a backup with `restore DIR --keep-quota`. To give up its keys, start a new one with `key create`.",
  );
}

export function homeAt(directory: string): Home {
  return {
    directory,
    keysPath: join(directory, "keys.db"),
    quotaPath: join(directory, "quota.db"),
    pepperPath: join(directory, "pepper"),
    keysPointPath: join(directory, "keys-point"),
  };
}

interface PepperSource {
  /** The pepper from the environment; if undefined or empty, the file in the home is used. */
  readonly given: string | undefined;
  readonly randomBytes: RandomBytes;
  /**
   * Set for keys in Redis that several hosts share. A host creates a pepper only together with the very first key; with
   * any other pepper it would store and look up keys that no other host knows.
   */
  readonly shared?: { readonly mayCreate: boolean; readonly tell: (words: string) => void };
}

/** Returns the peppers of a store's keys, newest first; creates one if there are no keys yet. Refuses any other. */
export function pepperFor(table: KeyTable, home: Home, source: PepperSource): Peppers {
  const { randomBytes, shared } = source;
  const given = source.given === "" ? undefined : source.given;
  const hasKeys = table.keys().length > 0;
  const isMissing = given === undefined && !isThere(home.pepperPath);
  if (isMissing && shared !== undefined && (hasKeys || !shared.mayCreate)) {
    const first = hasKeys ? "" : " On the first host `key create` creates it.";
    const message = "This host has no pepper. Keys in Redis need the same pepper on every host.";
    throw operatorFailure("PEPPER_MISSING", message, `${copyHint(home)}${first}`);
  }
  const peppers = loadPeppers({ given, path: home.pepperPath, mayCreate: !hasKeys, randomBytes });
  if (isMissing) {
    const path = resolve(home.pepperPath);
    shared?.tell(`created a pepper at ${path}: copy it to every host that uses these keys`);
  }
  // With no shared keys yet, a server accepts any pepper; the first key decides which one is used.
  if ((!hasKeys && shared?.mayCreate === false) || table.acceptsPeppers(peppers)) return peppers;
  if (shared !== undefined) {
    const message = "The keys in Redis were stored with a different pepper than this host's.";
    throw operatorFailure("PEPPER_MISMATCH", message, copyHint(home));
  }
  throw operatorFailure(
    "PEPPER_MISMATCH",
    "The keys in this home were stored with a different pepper, so none of them would be recognised.",
    "Put the right pepper back; a newer pepper goes on the line above it. Or use another --home.",
  );
}

function copyHint({ pepperPath }: Home): string {
  return `Copy it from a host that has it to ${pepperPath} (mode 600), or set GOVDATA_PEPPER.`;
}

/** Returns a warning about keys whose pepper is not among these; undefined if all can be used. */
export function strandedKeysWarning(table: KeyTable, peppers: Peppers, nowMs: number): string | undefined {
  const count = table.countStranded(peppers, nowMs);
  if (count === 0) return undefined;
  return (
    `${count} active ${count === 1 ? "key was" : "keys were"} stored with a pepper that is missing here, and ` +
    "will get 401: put the old pepper back as the last line, or rotate or revoke the keys (`key list` shows the pepper)"
  );
}
