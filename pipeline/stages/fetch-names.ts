import { setImmediate as nextTurn } from "node:timers/promises";
import { listedDelegates } from "../documents/delegate-listing.ts";
import type { NameCache } from "../facts/dao-facts.ts";
import { PipelineError } from "../facts/errors.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { httpIdentityOf, type RunEffects, type Settings } from "../home/settings.ts";
import { createDelegateHistory } from "../score/delegates/delegate-history.ts";
import type { SourceOptions } from "../sources/all.ts";
import {
  createEnsResolver,
  type EnsResolver,
  isEvmAddress,
  isNameFresh,
  LOOKED_UP_AT_ONCE,
} from "../sources/ens/ens-resolver.ts";
import { createNodeReader } from "../sources/ens/node-reader.ts";
import type { HttpCounters } from "../sources/http/http-client.ts";
import { createHttpClient } from "../sources/http/http-client.ts";
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

/** What names are asked for, and where they are kept. The resolver's cache must be the warehouse's. */
export interface NamesInput {
  readonly daos: readonly TrackedDao[];
  readonly warehouse: Pick<Warehouse, "daoFacts" | "names">;
  readonly registry: Registry;
  /** `undefined` where no node of Ethereum is known: then nothing is asked. */
  readonly resolver: EnsResolver | undefined;
  readonly effects: Pick<RunEffects, "nowMs" | "progress">;
  readonly addressesMax?: number;
}

/**
 * Asks ENS for the names of those delegates whom a listing as of now would publish, the highest ranks first. A name is
 * a courtesy: whatever goes wrong is counted and said, and nothing but INTERRUPTED is thrown.
 */
export async function fetchNames(input: NamesInput): Promise<NamesSummary> {
  const { resolver, effects, addressesMax = ADDRESSES_PER_RUN } = input;
  if (resolver === undefined) {
    return { hasNode: false, asked: 0, found: 0, without: 0, failed: 0, skipped: 0 };
  }
  const due = await addressesDue(input);
  const chosen = due.slice(0, addressesMax);
  const before = resolver.counters();
  const summarise = (): NamesSummary => {
    const now = resolver.counters();
    const found = now.found - before.found;
    const without = now.without - before.without;
    const failed = now.failed - before.failed;
    const asked = found + without + failed;
    return { hasNode: true, asked, found, without, failed, skipped: due.length - asked };
  };
  for (let from = 0; from < chosen.length; from += LOOKED_UP_AT_ONCE) {
    await resolver.namesOf(chosen.slice(from, from + LOOKED_UP_AT_ONCE));
    const { found, without, failed } = summarise();
    effects.progress.tick("names", "ens", { found, without, failed });
  }
  const summary = summarise();
  tell(summary, chosen.length, resolver, effects);
  return summary;
}

function tell(
  { asked, found, without, failed, skipped }: NamesSummary,
  chosen: number,
  resolver: EnsResolver,
  { progress }: NamesInput["effects"],
): void {
  if (chosen === 0) return;
  progress.step("names", asked, chosen, "ens", { found, without, failed, skipped });
  const lost = failed + chosen - asked;
  if (lost === 0) return;
  const reason = resolver.trouble() ?? "asking them got no answer";
  progress.warn(`the names of ${lost} of ${chosen} addresses could not be asked: ${reason}`);
}

/** Whom a listing would publish and whose name is not known or too old, by their best rank, then by address. */
async function addressesDue(input: NamesInput): Promise<readonly string[]> {
  const { daos, warehouse, registry, effects } = input;
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
    .filter(([address]) => !isKnown(warehouse.names, address, effects.nowMs()))
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
    if (error instanceof PipelineError && error.code === "INTERRUPTED") throw error;
    const reason = error instanceof Error ? error.message : String(error);
    effects.progress.warn(`${dao.spaceId}: no names were asked for: ${reason}`, error);
    return [];
  }
}

function isKnown(names: NameCache, address: string, nowMs: number): boolean {
  try {
    const entry = names.read(address);
    return entry !== undefined && isNameFresh(entry, nowMs);
  } catch {
    // What cannot be read is asked again, as the resolver does.
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
  { settings, ...input }: Omit<NamesInput, "resolver" | "effects"> & { readonly settings: Settings },
  { pace, rpcUrlOf }: Pick<SourceOptions, "pace" | "rpcUrlOf">,
  effects: RunEffects,
): Promise<{ readonly summary: NamesSummary; readonly counters: HttpCounters | undefined }> {
  const url = rpcUrlOf?.(ENS_CHAIN_ID);
  if (url === undefined) {
    return { summary: await fetchNames({ ...input, resolver: undefined, effects }), counters: undefined };
  }
  const http = createHttpClient({ ...httpIdentityOf(settings, effects), settings: pace ?? {} });
  try {
    const resolver = createEnsResolver({
      reader: createNodeReader({ http, url, chainId: ENS_CHAIN_ID }),
      nowMs: effects.nowMs,
      cache: input.warehouse.names,
    });
    return { summary: await fetchNames({ ...input, resolver, effects }), counters: http.counters() };
  } finally {
    await http.close();
  }
}
