import type { CachedName, NameCache } from "../../facts/dao-facts.ts";
import { DAY_MS } from "../../facts/days.ts";
import { PipelineError } from "../../facts/errors.ts";
import type { ContractReader } from "./contract-reader.ts";
import { lookUpNames, type NameLookup } from "./look-up-names.ts";

/** A name can be sold or pointed elsewhere at any time: half a week is what we may be wrong for. Our judgement. */
const NAME_LIFETIME_MS = 3.5 * DAY_MS;

/** Most addresses have no name and never get one: asking a fortnight later is soon enough. Our judgement. */
const NO_NAME_LIFETIME_MS = 14 * DAY_MS;

/** Whether ENS can know an address at all: a lower-case one of Ethereum's form, and none of Starknet's. */
export function isEvmAddress(address: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(address);
}

/** Whether what was found out is still good; a moment that lies ahead is a clock set back, and not good. */
export function isNameFresh(entry: CachedName, nowMs: number): boolean {
  const ageMs = nowMs - entry.checkedAtMs;
  return ageMs >= 0 && ageMs < (entry.name === undefined ? NO_NAME_LIFETIME_MS : NAME_LIFETIME_MS);
}

/**
 * Addresses that are looked up together. Fewer have a name than are asked about, so that the later rounds of a larger
 * group fill their requests better; what is lost when a node goes away in the middle is no more than this.
 */
export const LOOKED_UP_AT_ONCE = 400;

/** What a run asked of ENS and what came of it, counted by address. */
interface EnsCounters {
  readonly fromCache: number;
  readonly found: number;
  readonly without: number;
  /** Asking did not get through, or its outcome could not be kept: nothing is remembered. */
  readonly failed: number;
  /** Not asked, because the node had been given up before. */
  readonly skipped: number;
}

/** Confirmed names of addresses; throws INTERRUPTED alone, for a name is a courtesy and no fact that a score needs. */
export interface EnsResolver {
  /** The confirmed names by lower-case address; without those that have none, that could not be asked, and Starknet's. */
  namesOf(addresses: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  counters(): EnsCounters;
  /** Why asking failed, first of all, fit to be shown; `undefined` where nothing did. */
  trouble(): string | undefined;
}

/** Makes a resolver for one run. The reader's door brings timeout, rate and retry (`sources/http`). */
export function createEnsResolver(options: {
  readonly reader: ContractReader;
  readonly nowMs: () => number;
  readonly cache: NameCache;
}): EnsResolver {
  const { reader, nowMs, cache } = options;
  const counters = { fromCache: 0, found: 0, without: 0, failed: 0, skipped: 0 };
  let isForgetful = false;

  /** Looks up a group, counts and remembers what came of it, and gives the names. */
  async function ask(addresses: readonly string[]): Promise<readonly (readonly [string, string])[]> {
    if (reader.isAway()) {
      counters.skipped += addresses.length;
      return [];
    }
    const lookups = await lookUp(reader, addresses);
    return addresses.flatMap((address, index) => {
      const lookup = lookups[index];
      if (lookup === undefined || lookup.kind === "unknown") {
        counters.failed += 1;
        return [];
      }
      const name = lookup.kind === "name" ? lookup.name : undefined;
      const isKept = remember(cache, address, { name, checkedAtMs: nowMs() });
      if (isKept) counters[name === undefined ? "without" : "found"] += 1;
      else {
        counters.failed += 1;
        isForgetful = true;
      }
      return name === undefined ? [] : [[address, name] as const];
    });
  }

  return {
    async namesOf(addresses) {
      const names = new Map<string, string>();
      const due: string[] = [];
      for (const address of new Set([...addresses].map((each) => each.toLowerCase()))) {
        if (!isEvmAddress(address)) continue;
        const known = recall(cache, address);
        if (known === undefined || !isNameFresh(known, nowMs())) {
          due.push(address);
          continue;
        }
        counters.fromCache += 1;
        if (known.name !== undefined) names.set(address, known.name);
      }
      for (let from = 0; from < due.length; from += LOOKED_UP_AT_ONCE) {
        const found = await ask(due.slice(from, from + LOOKED_UP_AT_ONCE));
        for (const [address, name] of found) names.set(address, name);
      }
      return names;
    },
    counters: () => ({ ...counters }),
    trouble: () => reader.trouble() ?? (isForgetful ? "what was found out could not be kept" : undefined),
  };
}

async function lookUp(reader: ContractReader, addresses: readonly string[]): Promise<readonly NameLookup[]> {
  try {
    return await lookUpNames(reader.read, addresses);
  } catch (error) {
    if (error instanceof PipelineError && error.code === "INTERRUPTED") throw error;
    // Whatever it was, a name is not worth a run.
    return [];
  }
}

function recall(cache: NameCache, address: string): CachedName | undefined {
  try {
    return cache.read(address);
  } catch {
    // A cache that cannot be read costs calls, not the run.
    return undefined;
  }
}

/** Whether it could be kept; what could not is asked again next time. */
function remember(cache: NameCache, address: string, entry: CachedName): boolean {
  try {
    cache.write(address, entry);
    return true;
  } catch {
    return false;
  }
}
