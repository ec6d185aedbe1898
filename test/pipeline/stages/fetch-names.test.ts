import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildDelegateListing } from "../../../pipeline/documents/delegate-listing.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import { createDelegateHistory } from "../../../pipeline/score/delegates/delegate-history.ts";
import { askForNames } from "../../../pipeline/stages/fetch-names.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { entityOf, scoredDao, walletOf } from "../documents/scored-daos.ts";
import { DAY, T } from "../score/sample-facts.ts";
import { createMemoryNameCache } from "../sources/ens/memory-name-cache.ts";
import { dao as daoOnChain } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";
import { factsOf, type Listed, NOBODY, nameOf, stand } from "./names-stand.ts";

/** A run whose DAOs cannot be read, and that has nothing to say. */
function unheard() {
  const unread = (): never => {
    throw pipelineFailure("WAREHOUSE_CORRUPT", "x");
  };
  const warehouse = { names: { read: unread, write: unread }, daoFacts: unread };
  const effects: RunEffects = {
    nowMs: () => T,
    runId: "0",
    progress: { step: unread, tick: unread, warn: unread },
  };
  const settings: Settings = {
    homeDirectory: "",
    snapshotsDirectory: "",
    registryPath: undefined,
    packageDirectory: "",
  };
  return { input: { daos: [factsOf("a", []).dao], registry: NOBODY, warehouse }, settings, effects };
}

describe("whom a run asks about", () => {
  it("is nobody where no node is known, and nothing is read", async () => {
    const { input, settings, effects } = unheard();
    expect(await askForNames({ ...input, settings }, {}, effects)).toEqual({
      summary: { hasNode: false, asked: 0, found: 0, without: 0, failed: 0, skipped: 0 },
      counters: undefined,
    });
  });

  it("is whom a listing publishes, and nobody else", async () => {
    // Fewer than a cut in T1, more in T2 and in T3.
    const listed = Array.from({ length: 450 }, (_, index): Listed => {
      const power = index < 50 ? 40_000_000 : index < 250 ? 3_000_000 : 100_000;
      return [index + 1, power - index];
    });
    const facts = factsOf("a", listed);
    const ranking = createDelegateHistory(facts).at(T);
    const scored = scoredDao(ranking === undefined ? {} : { latestDelegates: ranking });
    const listing = buildDelegateListing(scored, publicEntities(NOBODY))?.latest;
    const { run, asked } = stand([facts]);
    await run();
    expect(asked).toEqual(listing?.delegates.map(({ address }) => address));
    expect(asked).toHaveLength(50 + 100 + 100);
  });

  it.each<{ why: string; daos: (readonly Listed[])[]; want: readonly number[] }>([
    {
      why: "the highest ranks first, of all DAOs",
      daos: [
        [
          [1, 9],
          [2, 8],
          [3, 7],
        ],
        [
          [4, 2],
          [5, 1],
        ],
      ],
      want: [1, 4, 2, 5, 3],
    },
    {
      why: "each once, by the best rank",
      daos: [
        [
          [1, 9],
          [2, 8],
        ],
        [[2, 5]],
      ],
      want: [1, 2],
    },
    {
      why: "nobody whom the list names itself",
      daos: [
        [
          [1, 9, "own.eth"],
          [2, 8],
        ],
      ],
      want: [2],
    },
    {
      why: "nobody without power",
      daos: [
        [
          [1, 9],
          [2, 0],
        ],
      ],
      want: [1],
    },
    {
      why: "nobody on Starknet",
      daos: [
        [
          [`0x${"7".repeat(64)}`, 9],
          [2, 8],
        ],
      ],
      want: [2],
    },
    { why: "nobody, without delegates", daos: [[]], want: [] },
    { why: "nobody, without DAOs", daos: [], want: [] },
  ])("$why", async ({ daos, want }) => {
    const { run, asked } = stand(daos.map((listed, index) => factsOf(`dao-${index}`, listed)));
    await run();
    expect(asked).toEqual(want.map(walletOf));
  });

  it("is no wallet of an entity that opted out", async () => {
    const { run, ens, asked } = stand([
      factsOf("a", [
        [1, 9],
        [2, 8],
        [3, 7],
      ]),
    ]);
    const entities = [
      entityOf("hidden", { wallets: [walletOf(1)], isOptedOut: true }),
      entityOf("open", { wallets: [walletOf(2)] }),
    ];
    expect(await run({ registry: { daos: [], entities } })).toMatchObject({ asked: 2, skipped: 0 });
    expect(asked).toEqual([walletOf(2), walletOf(3)]);
    expect(JSON.stringify(ens.asked())).not.toContain(walletOf(1).slice(2));
  });

  it("is nobody whose name is known and fresh; too old a name is asked for again", async () => {
    const cache = createMemoryNameCache();
    cache.write(walletOf(1), { name: "a.eth", checkedAtMs: T - 3 * DAY });
    cache.write(walletOf(2), { name: "b.eth", checkedAtMs: T - 4 * DAY });
    cache.write(walletOf(3), { name: undefined, checkedAtMs: T - 13 * DAY });
    cache.write(walletOf(4), { name: undefined, checkedAtMs: T - 14 * DAY });
    cache.write(walletOf(5), { name: "e.eth", checkedAtMs: T - 3.5 * DAY });
    cache.write(walletOf(6), { name: "f.eth", checkedAtMs: T - 3.5 * DAY + 1 });
    // The clock was set back.
    cache.write(walletOf(7), { name: "g.eth", checkedAtMs: T + 1 });
    const { run, asked } = stand(
      [
        factsOf("a", [
          [1, 9],
          [2, 8],
          [3, 7],
          [4, 6],
          [5, 5],
          [6, 4],
          [7, 3],
        ]),
      ],
      cache,
    );
    await run();
    expect(asked).toEqual([2, 4, 5, 7].map(walletOf));
  });

  it("is no more than the most for one run; the next run goes on", async () => {
    const { run, asked } = stand([
      factsOf("a", [
        [1, 9],
        [2, 8],
        [11, 7],
        [4, 6],
        [5, 5],
      ]),
    ]);
    const days: object[] = [];
    for (let day = 0; day < 4; day += 1) {
      const { found, without, skipped } = await run({ addressesMax: 2 });
      days.push({ asked: asked.splice(0), found, without, skipped });
    }
    expect(days).toEqual([
      { asked: [1, 2].map(walletOf), found: 2, without: 0, skipped: 3 },
      { asked: [11, 4].map(walletOf), found: 1, without: 1, skipped: 1 },
      { asked: [5].map(walletOf), found: 1, without: 0, skipped: 0 },
      { asked: [], found: 0, without: 0, skipped: 0 },
    ]);
  });
});

describe("what comes of it", () => {
  const facts = factsOf("a", [
    [1, 9],
    [11, 8],
    [3, 7],
  ]);

  it("is counted and said", async () => {
    const { run, said } = stand([facts]);
    expect(await run()).toEqual({ hasNode: true, asked: 3, found: 2, without: 1, failed: 0, skipped: 0 });
    expect(said).toEqual(['names 3/3 {"found":2,"without":1,"failed":0,"skipped":0}']);
  });

  it("is said with a warning where asking fails", async () => {
    const { run, said, ens } = stand([facts]);
    ens.reverse(walletOf(3), { fault: true });
    expect(await run()).toMatchObject({ asked: 3, found: 1, without: 1, failed: 1, skipped: 0 });
    expect(said.at(-1)).toBe("the names of 1 of 3 addresses could not be looked up: no answer");
  });

  it("is said with the reason where the node is gone", async () => {
    const { run, said, ens } = stand([facts]);
    ens.state.isAway = true;
    expect(await run()).toMatchObject({ asked: 0, failed: 0, skipped: 3 });
    expect(said.at(-1)).toBe(
      "the names of 3 of 3 addresses could not be looked up: the node stopped responding",
    );
  });

  it.each([
    { why: "as we foresaw", error: pipelineFailure("WAREHOUSE_CORRUPT", "a ballot is damaged") },
    { why: "as we did not", error: new TypeError("a ballot is damaged") },
  ])("costs a DAO that cannot be read its own names and no others: $why", async ({ error }) => {
    const { run, said } = stand([error, facts]);
    expect(await run()).toMatchObject({ asked: 3, found: 2 });
    expect(said[0]).toBe("0: no names were looked up: a ballot is damaged");
  });

  it("asks for everything where what is known cannot be read", async () => {
    const broken = () => {
      throw new Error("disk I/O error");
    };
    const { run } = stand([facts], { read: broken, write: broken });
    expect(await run()).toMatchObject({ asked: 3, found: 0, failed: 3 });
  });
});

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
