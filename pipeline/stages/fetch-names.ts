import { setImmediate as nextTurn } from "node:timers/promises";
import { listedDelegates } from "../documents/delegate-listing.ts";
import { DAY_MS } from "../facts/days.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { httpIdentityOf, type RunEffects, type Settings } from "../home/settings.ts";
import { createDelegateHistory } from "../score/delegates/delegate-history.ts";
import type { SourceOptions } from "../sources/all.ts";
import { type ContractReader, keepNames } from "../sources/ens/look-up-names.ts";
import { createNodeReader } from "../sources/ens/node-reader.ts";
import { createHttpClient, type HttpCounters } from "../sources/http/http-client.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/**
 * Addresses asked about in one run: some fifty requests, a minute at the pace that is kept without being told. What is
 * left over has its turn in the next run, since what was asked in this one is remembered.
 */
const ADDRESSES_PER_RUN = 2000;

/** What came of asking for names; counted by address. */
export interface NamesSummary {
  /** A node was there to be asked. */
  readonly hasNode: boolean;
  readonly asked: number;
  readonly found: number;
  readonly without: number;
  /** Asked without an answer; what was known before still stands. */
  readonly failed: number;
  /** Due and not asked: past the most for one run, or after the node had been given up. */
  readonly skipped: number;
}

/** What names are asked for, and where they are kept. */
export interface NamesInput {
  readonly daos: readonly TrackedDao[];
  readonly warehouse: Pick<Warehouse, "daoFacts" | "names">;
  readonly registry: Registry;
  readonly reader: ContractReader;
  readonly effects: Pick<RunEffects, "nowMs" | "progress">;
  readonly addressesMax?: number;
}

/**
 * Asks ENS for the names of those delegates whom a listing as of now would publish, the highest ranks first. A name is
 * a courtesy: whatever goes wrong is counted and said, and nothing is thrown.
 */
export async function fetchNames(input: NamesInput): Promise<NamesSummary> {
  const { reader, warehouse, effects, addressesMax = ADDRESSES_PER_RUN } = input;
  const due = await addressesDue(input);
  const chosen = due.slice(0, addressesMax);
  const { trouble, ...counts } = await keepNames(
    reader,
    chosen,
    (address, name) => warehouse.names.write(address, { name, checkedAtMs: effects.nowMs() }),
    (facts) => effects.progress.tick("names", "ens", facts),
  );
  const asked = counts.found + counts.without + counts.failed;
  const skipped = due.length - asked;
  if (chosen.length > 0) {
    effects.progress.step("names", asked, chosen.length, "ens", { ...counts, skipped });
    const lost = counts.failed + chosen.length - asked;
    const reason = trouble ?? "asking them got no answer";
    if (lost > 0) {
      effects.progress.warn(
        `the names of ${lost} of ${chosen.length} addresses could not be asked: ${reason}`,
      );
    }
  }
  return { hasNode: true, asked, ...counts, skipped };
}

/** Whom a listing would publish and whose name is not known or too old, by their best rank, then by address. */
async function addressesDue(input: NamesInput): Promise<readonly string[]> {
  const { daos, registry } = input;
  // A node hears whom we look at, and of those who opted out nothing would be published anyway.
  const optedOut = new Set(
    registry.entities.filter((entity) => entity.isOptedOut).flatMap((entity) => entity.wallets),
  );
  const bestRanks = new Map<string, number>();
  for (const dao of daos) {
    for (const [address, rank] of namelessDelegates(dao, input)) {
      bestRanks.set(address, Math.min(rank, bestRanks.get(address) ?? rank));
    }
    // Reading never waits, so this is where an interrupt is heard.
    await nextTurn();
  }
  return [...bestRanks]
    .filter(([address]) => isEvmAddress(address) && !optedOut.has(address))
    .filter(([address]) => !isKnown(input, address))
    .sort(([a, aRank], [b, bRank]) => aRank - bRank || (a < b ? -1 : 1))
    .map(([address]) => address);
}

/** Address and rank of those whom a listing would publish without a name of its source's own. */
function namelessDelegates(
  dao: TrackedDao,
  { warehouse, registry, effects }: NamesInput,
): readonly (readonly [string, number])[] {
  try {
    const facts = warehouse.daoFacts(dao, registry);
    const ranking = createDelegateHistory({ ...facts, names: new Map() }).at(effects.nowMs());
    return listedDelegates(ranking?.delegates ?? []).flatMap(({ address, rank, ens }) =>
      ens === undefined ? [[address, rank] as const] : [],
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    effects.progress.warn(`${dao.spaceId}: no names were asked for: ${reason}`, error);
    return [];
  }
}

/** Whether ENS can know an address at all: a lower-case one of Ethereum's form, and none of Starknet's. */
function isEvmAddress(address: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(address);
}

/** A name can be sold or pointed elsewhere at any time: half a week is what we may be wrong for. Our judgement. */
const NAME_LIFETIME_MS = 3.5 * DAY_MS;

/** Most addresses have no name and never get one: asking a fortnight later is soon enough. Our judgement. */
const NO_NAME_LIFETIME_MS = 14 * DAY_MS;

/** Whether what was found out is still good; a moment that lies ahead is a clock set back, and not good. */
function isKnown({ warehouse, effects }: NamesInput, address: string): boolean {
  try {
    const entry = warehouse.names.read(address);
    if (entry === undefined) return false;
    const ageMs = effects.nowMs() - entry.checkedAtMs;
    return ageMs >= 0 && ageMs < (entry.name === undefined ? NO_NAME_LIFETIME_MS : NAME_LIFETIME_MS);
  } catch {
    // A cache that cannot be read costs calls, not the run.
    return false;
  }
}

/** The chain whose names are believed: anybody may take any name on a test network. */
const ENS_CHAIN_ID = 1;

/**
 * Asks the node of Ethereum for the names of delegates that a listing would publish, and keeps them; no counters where
 * there was no node to ask.
 */
export async function askForNames(
  { settings, ...input }: Omit<NamesInput, "reader" | "effects"> & { readonly settings: Settings },
  { pace = {}, rpcUrlOf }: Pick<SourceOptions, "pace" | "rpcUrlOf">,
  effects: RunEffects,
): Promise<{ readonly summary: NamesSummary; readonly counters: HttpCounters | undefined }> {
  const url = rpcUrlOf?.(ENS_CHAIN_ID);
  if (url === undefined) {
    const summary = { hasNode: false, asked: 0, found: 0, without: 0, failed: 0, skipped: 0 };
    return { summary, counters: undefined };
  }
  const http = createHttpClient({ ...httpIdentityOf(settings, effects), settings: pace });
  try {
    const reader = createNodeReader({ http, url, chainId: ENS_CHAIN_ID });
    return { summary: await fetchNames({ ...input, reader, effects }), counters: http.counters() };
  } finally {
    await http.close();
  }
}
