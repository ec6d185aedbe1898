import type { NameCache } from "../../facts/name-cache.ts";
import type { EthCall } from "./eth-call.ts";
import { lookUpName } from "./look-up-name.ts";

const DAY_MS = 86_400_000;

/** A name can be sold or pointed elsewhere at any time: half a week is what we may be wrong for. Our judgement. */
const NAME_LIFETIME_MS = 3.5 * DAY_MS;

/** Most addresses have no name and never get one: asking a fortnight later is soon enough. Our judgement. */
const NO_NAME_LIFETIME_MS = 14 * DAY_MS;

/** After so many faults in a row the node is taken to be away, and the rest of the run goes without names. */
const FAULTS_IN_A_ROW_MAX = 5;

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/;

/** What a run asked of ENS and what came of it, counted by address. */
export interface EnsCounters {
  readonly fromCache: number;
  readonly found: number;
  readonly without: number;
  /** A call did not get through; nothing was remembered. */
  readonly failed: number;
  /** Not asked, because too many had failed before. */
  readonly skipped: number;
}

/** Confirmed names of addresses; never throws, for a name is a courtesy and no fact that a score needs. */
export interface EnsResolver {
  /** The confirmed name of an address; `undefined` where there is none, where asking failed, and for Starknet's. */
  nameOf(address: string): Promise<string | undefined>;
  /** The confirmed names of many, by lower-case address; asked one after the other, at the pace of `call`. */
  namesOf(addresses: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  counters(): EnsCounters;
}

/** Makes a resolver for one run. `call` brings its own timeout, rate and retry (`sources/http`). */
export function createEnsResolver(options: {
  readonly call: EthCall;
  readonly nowMs: () => number;
  readonly cache: NameCache;
}): EnsResolver {
  const { call, nowMs, cache } = options;
  const counters = { fromCache: 0, found: 0, without: 0, failed: 0, skipped: 0 };
  let faultsInARow = 0;

  async function askFor(address: string): Promise<string | undefined> {
    if (faultsInARow >= FAULTS_IN_A_ROW_MAX) {
      counters.skipped += 1;
      return undefined;
    }
    try {
      const name = await lookUpName(call, address);
      faultsInARow = 0;
      counters[name === undefined ? "without" : "found"] += 1;
      remember(cache, address, name, nowMs());
      return name;
    } catch {
      faultsInARow += 1;
      counters.failed += 1;
      return undefined;
    }
  }

  async function nameOf(given: string): Promise<string | undefined> {
    const address = given.toLowerCase();
    if (!EVM_ADDRESS.test(address)) return undefined;
    const known = recall(cache, address, nowMs());
    if (known === undefined) return askFor(address);
    counters.fromCache += 1;
    return known.name;
  }

  return {
    nameOf,
    async namesOf(addresses) {
      const names = new Map<string, string>();
      for (const address of new Set([...addresses].map((each) => each.toLowerCase()))) {
        const name = await nameOf(address);
        if (name !== undefined) names.set(address, name);
      }
      return names;
    },
    counters: () => ({ ...counters }),
  };
}

/** What the cache holds and is still good; a moment that lies ahead is a clock set back and not good. */
function recall(cache: NameCache, address: string, nowMs: number): { name: string | undefined } | undefined {
  try {
    const entry = cache.read(address);
    if (entry === undefined) return undefined;
    const ageMs = nowMs - entry.checkedAtMs;
    const lifetimeMs = entry.name === undefined ? NO_NAME_LIFETIME_MS : NAME_LIFETIME_MS;
    return ageMs >= 0 && ageMs < lifetimeMs ? { name: entry.name } : undefined;
  } catch {
    // A cache that cannot be read costs calls, not the run.
    return undefined;
  }
}

function remember(cache: NameCache, address: string, name: string | undefined, checkedAtMs: number): void {
  try {
    cache.write(address, { name, checkedAtMs });
  } catch {
    // What cannot be kept is asked again next time.
  }
}
