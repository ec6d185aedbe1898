import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildDelegateListing } from "../../../pipeline/documents/delegate-listing.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { createDelegateHistory } from "../../../pipeline/score/delegates/delegate-history.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { entityOf, scoredDao, walletOf } from "../documents/scored-daos.ts";
import { DAY, T } from "../score/sample-facts.ts";
import { dao as daoOnChain } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";
import { nameOf, stand } from "./names-stand.ts";

describe("names in a real warehouse", () => {
  let home: WarehouseHome;
  beforeEach(() => {
    home = createWarehouseHome();
  });
  afterEach(() => home.remove());

  const dao = daoOnChain("orchard");
  const token = dao.governor?.token ?? "";
  const powerOf = (wallet: number, after: number, daysAgo: number): DelegationEvent => ({
    kind: "votes-changed",
    blockNumber: 100 - daysAgo,
    logIndex: wallet,
    blockTimeMs: T - daysAgo * DAY,
    delegate: walletOf(wallet),
    before: 0n,
    after: BigInt(after),
  });
  const hidden = entityOf("hidden", { wallets: [walletOf(2)], isOptedOut: true });
  const registry: Registry = { daos: [dao], entities: [hidden] };

  /** Everything a version says of the DAO's delegates. */
  const published = (warehouse: Warehouse) => {
    const history = createDelegateHistory(warehouse.daoFacts(dao, registry));
    const latestDelegates = history.at(T);
    const scored = {
      ...scoredDao({ spaceId: dao.spaceId }),
      latestDelegates,
      datedDelegates: history.dated(T),
    };
    return JSON.stringify(buildDelegateListing(scored, publicEntities(registry)));
  };

  async function fetched(): Promise<Warehouse> {
    const warehouse = home.open();
    const fetch = warehouse.beginSpaceFetch({ spaceId: dao.spaceId, sourceId: "archive", fetchedAtMs: T });
    fetch.put({
      kind: "delegation-events",
      token,
      events: [powerOf(1, 9, 3), powerOf(2, 8, 3), powerOf(11, 7, 2)],
    });
    fetch.commit();
    // A name from before the entity opted out.
    warehouse.names.write(walletOf(2), { name: nameOf(2), checkedAtMs: T - DAY });
    const { run } = stand([], warehouse.names);
    expect(await run({ daos: [dao], registry, warehouse })).toMatchObject({ asked: 2, found: 1, without: 1 });
    return warehouse;
  }

  it("names stand in the latest listing and in those of past days, and never those who opted out", async () => {
    // The latest, once cut and once whole, and two days.
    const said = published(await fetched());
    expect(said.match(/"ens":"voter-1\.eth"/g)).toHaveLength(2 + 2);
    expect(said).not.toContain(nameOf(2));
    expect(said).toContain(walletOf(2));
  });

  it("the same warehouse gives the same bytes, whatever the age of the names", async () => {
    const warehouse = await fetched();
    const first = published(warehouse);
    const again = home.open();
    expect(published(again)).toBe(first);
    again.names.write(walletOf(1), { name: nameOf(1), checkedAtMs: T - 900 * DAY });
    expect(published(again)).toBe(first);
  });
});
