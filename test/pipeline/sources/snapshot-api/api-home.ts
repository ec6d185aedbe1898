import type { ChainSpace } from "../../../../pipeline/facts/tracked.ts";
import { estimateRequests } from "../../../../pipeline/sources/estimate.ts";
import { createSnapshotApiSource } from "../../../../pipeline/sources/snapshot-api/api-source.ts";
import { INDEXER, SPACE } from "../../../support/onchain-api/sample-rows.ts";
import { dao, factsOf } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { hastyClient } from "../http/loopback-server.ts";
import { memorySink } from "../memory-sink.ts";

const SPACE_ID = "compound.onchain";
const NOW_MS = Date.UTC(2024, 0, 20);

type Settings = Parameters<typeof createSnapshotApiSource>[0];

/** A warehouse that one DAO is fetched into. */
export function createApiHome(url: string) {
  const home = createWarehouseHome();
  let warehouse = home.open();
  const http = hastyClient();
  const sourceOf = (settings: Partial<Settings>) =>
    createSnapshotApiSource({ http, url, nowMs: NOW_MS, isFull: false, ...settings });
  return {
    facts: () => factsOf(warehouse, SPACE_ID),
    /** What a fetch puts, in memory. */
    async read(settings: Partial<Settings> = {}) {
      const sink = memorySink();
      const onchain = { indexer: INDEXER, space: SPACE };
      await sourceOf(settings).fetchSpace({ ...dao(SPACE_ID), onchain }, sink);
      return sink;
    },
    /** The requests that the next fetch takes at most. */
    estimate(pageSize: number) {
      const daos = [{ ...dao(SPACE_ID), onchain: { indexer: INDEXER, space: SPACE } }];
      const heldOf = (id: string) => warehouse.heldSpace(id, "snapshot-api");
      return estimateRequests({ http, url }, daos, heldOf, pageSize);
    },
    async fetch(change: Partial<Settings> & { readonly onchain?: ChainSpace } = {}) {
      const { onchain = { indexer: INDEXER, space: SPACE }, ...settings } = change;
      const source = sourceOf(settings);
      const attempt = { spaceId: SPACE_ID, sourceId: source.sourceId, fetchedAtMs: NOW_MS };
      const fetch = warehouse.beginSpaceFetch(attempt);
      try {
        await source.fetchSpace({ ...dao(SPACE_ID), onchain }, fetch);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (code === undefined) throw error;
        return fetch.fail({ code, message });
      }
      return fetch.commit();
    },
    reopen() {
      warehouse.close();
      warehouse = home.open();
    },
    async close() {
      await http.close();
      warehouse.close();
      home.remove();
    },
  };
}
