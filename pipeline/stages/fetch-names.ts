import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { listedDelegates } from "../documents/delegate-documents.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { httpIdentityOf, type RunEffects, type Settings } from "../home/settings.ts";
import { createDelegateHistory } from "../score/delegates/delegate-history.ts";
import type { SourceOptions } from "../sources/all.ts";
import { type ContractReader, keepNames } from "../sources/ens/look-up-names.ts";
import { createNodeReader } from "../sources/ens/node-reader.ts";
import { createHttpClient, type HttpCounters } from "../sources/http/http-client.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** Addresses per run: about fifty requests, a minute at the default pace. Later runs look up the rest. */
const ADDRESSES_PER_RUN = 2000;

/** Result of a name lookup, counted by address. */
export interface NamesSummary {
  /** Whether a node was configured. */
  readonly hasNode: boolean;
  readonly asked: number;
  readonly found: number;
  readonly without: number;
  /** Looked up without an answer; stored names stay valid. */
  readonly failed: number;
  /** Due but not looked up: over the limit of a run, or after the node was given up. */
  readonly skipped: number;
}

interface NamesInput {
  readonly daos: readonly TrackedDao[];
  readonly warehouse: Pick<Warehouse, "daoFacts" | "names">;
  readonly registry: Registry;
  readonly reader: ContractReader;
  readonly effects: Pick<RunEffects, "nowMs" | "progress">;
  readonly addressesMax?: number;
}

/**
 * Looks up ENS names of the delegates that a listing would publish now, highest ranks first. Names are
 * optional: failures are counted and logged, never thrown.
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
  const lookedUp = counts.found + counts.without + counts.failed;
  const skipped = due.length - lookedUp;
  if (chosen.length > 0) {
    effects.progress.step("names", lookedUp, chosen.length, "ens", { ...counts, skipped });
    const lost = counts.failed + chosen.length - lookedUp;
    const message = `the names of ${lost} of ${chosen.length} addresses could not be looked up`;
    if (lost > 0) effects.progress.warn(`${message}: ${trouble ?? "no answer"}`);
  }
  return { hasNode: true, asked: lookedUp, ...counts, skipped };
}

/** Delegates that a listing would publish and whose name is unknown or outdated, by best rank, then address. */
async function addressesDue(input: NamesInput): Promise<readonly string[]> {
  const { daos, registry, warehouse, effects } = input;
  // The node would learn these addresses, and names of opted-out entities are not published anyway.
  const optedOut = new Set(
    registry.entities.filter((entity) => entity.isOptedOut).flatMap((entity) => entity.wallets),
  );
  const bestRanks = new Map<string, number>();
  for (const dao of daos) {
    try {
      const facts = warehouse.daoFacts(dao, registry);
      const ranking = createDelegateHistory({ ...facts, names: new Map() }).at(effects.nowMs());
      for (const { address, rank, ens } of listedDelegates(ranking?.delegates ?? [])) {
        // Otherwise its source has a name for it.
        if (ens === undefined) bestRanks.set(address, Math.min(rank, bestRanks.get(address) ?? rank));
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      effects.progress.warn(`${dao.spaceId}: no names were looked up: ${reason}`, error);
    }
    // Reading never awaits, so interrupts are only seen here.
    await nextTurn();
  }
  return [...bestRanks]
    .filter(([address]) => EVM_ADDRESS.test(address) && !optedOut.has(address) && !isKnown(input, address))
    .sort(([a, aRank], [b, bRank]) => aRank - bRank || (a < b ? -1 : 1))
    .map(([address]) => address);
}

/** What ENS supports: not Starknet. */
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/;

/** Names can be sold or redirected at any time; half a week is how long we accept an outdated one. Our judgement. */
const NAME_LIFETIME_MS = 3.5 * DAY_MS;

/** Most addresses never get a name: checking again after two weeks is enough. Our judgement. */
const NO_NAME_LIFETIME_MS = 14 * DAY_MS;

/** Whether the stored result is still valid; one from the future means that the clock was set back, and is not. */
function isKnown({ warehouse, effects }: NamesInput, address: string): boolean {
  try {
    const entry = warehouse.names.read(address);
    if (entry === undefined) return false;
    const ageMs = effects.nowMs() - entry.checkedAtMs;
    return ageMs >= 0 && ageMs < (entry.name === undefined ? NO_NAME_LIFETIME_MS : NAME_LIFETIME_MS);
  } catch {
    // An unreadable cache costs requests, not the run.
    return false;
  }
}

/** The chain whose names are trusted: on a test network anybody can take any name. */
const ENS_CHAIN_ID = 1;

/** Looks up delegates' names through the configured Ethereum node; without one there are no counters. */
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
