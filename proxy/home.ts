import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "./http/operator-error.ts";
import type { RandomBytes } from "./keys/base62.ts";
import type { Pepper } from "./keys/key-digest.ts";
import type { KeyStore } from "./keys/key-store.ts";
import { loadPepper } from "./keys/load-pepper.ts";

/** The proxy's own folder, made at first use for its owner alone. */
export interface Home {
  readonly directory: string;
  readonly keysPath: string;
  readonly quotaPath: string;
  readonly pepperPath: string;
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
  return {
    directory,
    keysPath: join(directory, "keys.db"),
    quotaPath: join(directory, "quota.db"),
    pepperPath: join(directory, "pepper"),
  };
}

/** The pepper a store's keys were stored under, made where there are none yet; refuses any other. */
export function pepperFor(
  store: KeyStore,
  home: Home,
  source: { readonly given: string | undefined; readonly randomBytes: RandomBytes },
): Pepper {
  const pepper = loadPepper({
    given: source.given === "" ? undefined : source.given,
    path: home.pepperPath,
    mayCreate: store.keys().length === 0,
    randomBytes: source.randomBytes,
  });
  if (store.acceptsPepper(pepper)) return pepper;
  throw new OperatorError(
    "PEPPER_MISMATCH",
    "The keys in this home were stored under another pepper, so none of them could be recognised.",
    "Put the right pepper back, or use another --home.",
  );
}
