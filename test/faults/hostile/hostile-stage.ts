import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { createGovernorSource } from "../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../pipeline/sources/http/http-client.ts";
import { createSnapshotHubSource } from "../../../pipeline/sources/hub/hub-source.ts";
import type { FetchRecord } from "../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { factsOf } from "../../pipeline/warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../../pipeline/warehouse/warehouse-home.ts";
import {
  closedProposal,
  NOW_MS,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
} from "../../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../../support/fake-hub/start-fake-hub.ts";
import { hostileDao, openDoor } from "./hostile-door.ts";
import { type HostileNode, startHostileNode } from "./hostile-node.ts";

type HubSettings = Partial<Parameters<typeof createSnapshotHubSource>[0]>;

/** The live sources that a server can do something to. */
export const LIVE_SOURCES = ["hub", "node"] as const;
export type LiveSource = (typeof LIVE_SOURCES)[number];

/** A hub, a node and a warehouse that holds what both said while they were themselves, for a whole file. */
export interface HostileStage {
  hub(): FakeHub;
  node(): HostileNode;
  warehouse(): Warehouse;
  /** Every request from now on is answered by this; nothing makes the servers themselves again. */
  sendInstead(send: ((response: ServerResponse) => void) | undefined): void;
  /** One fetch as `govdata fetch` does it; its record, failed or complete. */
  fetch(source: LiveSource, door?: HttpClient, hub?: HubSettings): Promise<FetchRecord>;
  facts(): ReturnType<typeof factsOf>;
  /** Requests since the last look. */
  asked(source: LiveSource): number;
}

/** Registers the hooks of a test file. After every test the objects that all others inherit from are looked at. */
export function useHostileStage(): HostileStage {
  let hub: FakeHub;
  let node: HostileNode;
  let home: WarehouseHome;
  let warehouse: Warehouse;
  let http: HttpClient;
  const inherited = inheritedNames();
  beforeAll(async () => {
    [hub, node] = await Promise.all([startFakeHub(), startHostileNode()]);
    hub.store.putSpace(sampleSpace());
    const held = closedProposal("0x1");
    putWithVotes(
      hub.store,
      held,
      [1, 2, 3].map((n) => voteOn(held, n)),
    );
    home = createWarehouseHome();
    warehouse = home.open();
    http = openDoor();
    for (const source of LIVE_SOURCES)
      expect(await stage.fetch(source)).toMatchObject({ status: "complete" });
    for (const source of LIVE_SOURCES) stage.asked(source);
  });
  afterEach(() => expect(inheritedNames()).toEqual(inherited));
  afterAll(async () => {
    await http.close();
    await Promise.all([hub.close(), node.close()]);
    home.remove();
  });
  const stage: HostileStage = {
    hub: () => hub,
    node: () => node,
    warehouse: () => warehouse,
    sendInstead(send) {
      hub.failWith(send === undefined ? undefined : () => ({ kind: "raw", send }));
      node.doInstead(send === undefined ? undefined : { send });
    },
    async fetch(kind, door = http, change = {}) {
      const source =
        kind === "hub"
          ? createSnapshotHubSource({
              http: door,
              url: hub.url,
              pageSize: 1_000,
              nowMs: NOW_MS,
              isFull: false,
              ...change,
            })
          : createGovernorSource({ rpcOf: () => createRpc({ http: door, url: node.url }) });
      const attempt = { spaceId: SPACE_ID, sourceId: source.sourceId, fetchedAtMs: NOW_MS };
      const fetch = warehouse.beginSpaceFetch(attempt);
      try {
        await source.fetchSpace(hostileDao(), fetch);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (code === undefined) throw error;
        return fetch.fail({ code, message });
      }
      return fetch.commit();
    },
    facts: () => factsOf(warehouse, SPACE_ID),
    asked(kind) {
      if (kind === "node") return node.asked();
      const asked = hub.arrived.length;
      hub.forget();
      return asked;
    },
  };
  return stage;
}

function inheritedNames(): readonly (readonly PropertyKey[])[] {
  return [Object.prototype, Array.prototype, Map.prototype, Function.prototype].map(Reflect.ownKeys);
}
