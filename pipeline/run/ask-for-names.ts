import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { createEnsResolver } from "../sources/ens/index.ts";
import { createNodeReader } from "../sources/ens/node-reader.ts";
import type { HttpCounters } from "../sources/http/http-client.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { RunEffects } from "./effects.ts";
import { fetchNames, type NamesSummary } from "./fetch-names.ts";
import { openHttp } from "./open-http.ts";
import type { SourceOptions } from "./open-source.ts";
import type { Settings } from "./settings.ts";

/** The chain whose names are believed: anybody may take any name on a test network. */
const ENS_CHAIN_ID = 1;

/** What came of asking for names, and what it took; no counters where there was no node to ask. */
export interface AskedNames {
  readonly summary: NamesSummary;
  readonly counters: HttpCounters | undefined;
}

/** Asks the node of Ethereum for the names of delegates that a listing would publish, and keeps them. */
export async function askForNames(
  places: {
    readonly settings: Settings;
    readonly warehouse: Warehouse;
    readonly registry: Registry;
    readonly daos: readonly TrackedDao[];
  },
  { pace, rpcUrlOf }: Pick<SourceOptions, "pace" | "rpcUrlOf">,
  effects: RunEffects,
): Promise<AskedNames> {
  const { settings, ...rest } = places;
  const url = rpcUrlOf?.(ENS_CHAIN_ID);
  if (url === undefined) {
    return { summary: await fetchNames({ ...rest, resolver: undefined, effects }), counters: undefined };
  }
  const http = openHttp(settings, effects, pace ?? {});
  try {
    const resolver = createEnsResolver({
      reader: createNodeReader({ http, url, chainId: ENS_CHAIN_ID }),
      nowMs: effects.nowMs,
      cache: rest.warehouse.names,
    });
    return { summary: await fetchNames({ ...rest, resolver, effects }), counters: http.counters() };
  } finally {
    await http.close();
  }
}
