import { afterEach, beforeEach } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
import type { FetchRecord } from "../../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import {
  closedProposal,
  crowdedVotes,
  NOW_MS,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { type FakeHub, type HubFault, startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { dao, factsOf } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { hastyClient } from "../http/loopback-server.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";

type Settings = Partial<Parameters<typeof createSnapshotHubSource>[0]>;

/** A hub with the sample space, a door and a warehouse, new for each test of a file. */
export interface HubStage {
  hub(): FakeHub;
  http(): HttpClient;
  warehouse(): Warehouse;
  /** Closes the warehouse and opens it again, as another process would find it. */
  reopen(): void;
  source(change?: Settings): ReturnType<typeof createSnapshotHubSource>;
  /** Fetches a space as `govdata fetch` does, the sample if not said otherwise; answers its record, failed or complete. */
  fetch(change?: Settings, spaceId?: string): Promise<FetchRecord>;
  /** What a fetch of the sample space puts, in memory. */
  read(change?: Settings): Promise<MemorySink>;
  /** Answers every query of this name with a fault, or with a body. */
  fail(operation: string, fault: HubFault): void;
  facts(): ReturnType<typeof factsOf>;
  /** Puts a proposal with so many votes, three unless said otherwise. */
  put(id: string, votes?: number, change?: HubRow, daysAgo?: number): HubRow;
  /** Casts so many votes on a proposal, by voters 1, 2, …. */
  cast(proposal: HubRow, votes: number): void;
  /** Puts proposal 0x1 with 2,500 votes, of which 1,300 share a second. */
  putCrowded(): void;
  /** How many votes are held, by proposal. */
  counts(): Readonly<Record<string, number>>;
  /** Queries that arrived since the last look, counted. */
  asked(): Readonly<Record<string, number>>;
}

/** Registers the hooks of a test file. */
export function useHubStage(): HubStage {
  let hub: FakeHub;
  let http: HttpClient;
  let home: ReturnType<typeof createWarehouseHome>;
  let warehouse: Warehouse;
  beforeEach(async () => {
    hub = await startFakeHub();
    hub.store.putSpace(sampleSpace());
    home = createWarehouseHome();
    warehouse = home.open();
    http = hastyClient({ responseBytesMax: 8 * 1024 * 1024 });
  });
  afterEach(async () => {
    await http.close();
    await hub.close();
    home.remove();
  });
  const cast = (proposal: HubRow, votes: number) =>
    putWithVotes(
      hub.store,
      proposal,
      Array.from({ length: votes }, (_, n) => voteOn(proposal, n + 1)),
    );
  const source = (change: Settings = {}) =>
    createSnapshotHubSource({ http, url: hub.url, pageSize: 1_000, nowMs: NOW_MS, isFull: false, ...change });
  const facts = () => factsOf(warehouse, SPACE_ID);
  return {
    cast,
    source,
    facts,
    put(id, votes = 3, change = {}, daysAgo = 10) {
      const proposal = closedProposal(id, change, daysAgo);
      cast(proposal, votes);
      return hub.store.proposals.get(id) ?? proposal;
    },
    putCrowded() {
      const proposal = closedProposal("0x1");
      putWithVotes(hub.store, proposal, crowdedVotes(proposal));
    },
    hub: () => hub,
    http: () => http,
    warehouse: () => warehouse,
    reopen() {
      warehouse.close();
      warehouse = home.open();
    },
    async fetch(change = {}, spaceId = SPACE_ID) {
      const { nowMs: fetchedAtMs = NOW_MS } = change;
      const opened = source(change);
      const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: opened.sourceId, fetchedAtMs });
      try {
        await opened.fetchSpace(dao(spaceId), fetch);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (code === undefined) throw error;
        return fetch.fail({ code, message });
      }
      return fetch.commit();
    },
    async read(change) {
      const sink = memorySink();
      await source(change).fetchSpace(dao(SPACE_ID), sink);
      return sink;
    },
    fail: (name, fault) => hub.failWith(({ operation }) => (operation === name ? fault : undefined)),
    counts: () => Object.fromEntries([...facts().ballots].map(([id, { count }]) => [id, count])),
    asked() {
      const counts: Record<string, number> = {};
      const names = hub.arrived.flatMap(({ operation }) => operation.split("_"));
      for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
      hub.forget();
      return counts;
    },
  };
}
