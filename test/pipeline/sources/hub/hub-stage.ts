import { afterEach, beforeEach } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import {
  createSnapshotHubSource,
  type SnapshotHubSettings,
} from "../../../../pipeline/sources/hub/hub-source.ts";
import type { FetchRecord } from "../../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import type { HubRelease } from "../../../support/fake-hub/hub-schema.ts";
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
import { type FakeHub, startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { dao, factsOf } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";

let collected: HubRelease = "current";

/** Has the tests that `collect` imports run against this release of the hub instead of the current one. */
export async function collectOn(release: HubRelease, collect: () => Promise<void>): Promise<void> {
  collected = release;
  try {
    await collect();
  } finally {
    collected = "current";
  }
}

/** A hub with the sample space, a door and a warehouse, new for each test of a file. */
export interface HubStage {
  readonly release: HubRelease;
  hub(): FakeHub;
  http(): HttpClient;
  warehouse(): Warehouse;
  /** Closes the warehouse and opens it again, as another process would find it. */
  reopen(): void;
  /** Fetches the sample space as `govdata fetch` does; answers its record, failed or complete. */
  fetch(change?: Partial<SnapshotHubSettings>): Promise<FetchRecord>;
  facts(): ReturnType<typeof factsOf>;
  /** Puts a proposal with so many votes, three unless said otherwise. */
  put(id: string, votes?: number, change?: HubRow, daysAgo?: number): HubRow;
  /** Casts so many votes on a proposal, by voters 1, 2, …. */
  cast(proposal: HubRow, votes: number): void;
  /** Puts proposal 0x1 with 2,500 votes, of which 1,300 share a second. */
  putCrowded(): void;
  /** Queries that arrived since the last look, counted. */
  asked(): Readonly<Record<string, number>>;
}

/** Registers the hooks of a test file. */
export function useHubStage(): HubStage {
  const release = collected;
  let hub: FakeHub;
  let http: HttpClient;
  let home: ReturnType<typeof createWarehouseHome>;
  let warehouse: Warehouse;
  beforeEach(async () => {
    hub = await startFakeHub({ release });
    hub.store.putSpace(sampleSpace());
    home = createWarehouseHome();
    warehouse = home.open();
    http = impatientClient();
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
  return {
    release,
    cast,
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
    async fetch(change = {}) {
      const settings = { http, url: hub.url, pageSize: 1_000, nowMs: NOW_MS, isFull: false, ...change };
      const source = createSnapshotHubSource(settings);
      const fetch = warehouse.beginSpaceFetch({
        spaceId: SPACE_ID,
        sourceId: source.sourceId,
        fetchedAtMs: settings.nowMs,
      });
      try {
        await source.fetchSpace(dao(SPACE_ID), fetch);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (code === undefined) throw error;
        return fetch.fail({ code, message });
      }
      return fetch.commit();
    },
    facts: () => factsOf(warehouse, SPACE_ID),
    asked() {
      const counts: Record<string, number> = {};
      const names = hub.arrived.flatMap(({ operation }) => operation.split("_"));
      for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
      hub.forget();
      return counts;
    },
  };
}

/** The real door, which waits for nothing between attempts and makes few of them. */
function impatientClient(): HttpClient {
  return createHttpClient({
    nowMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    version: "1.0.0",
    settings: {
      requestsPerMinute: 1e9,
      attemptsMax: 4,
      serverErrorAttemptsMax: 3,
      responseBytesMax: 8 * 1024 * 1024,
    },
  });
}
