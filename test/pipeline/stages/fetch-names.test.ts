import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildDelegateListing } from "../../../pipeline/documents/delegate-documents.ts";
import { publicEntities } from "../../../pipeline/documents/entities.ts";
import type { DaoFacts, DelegationEvent } from "../../../pipeline/facts/dao-facts.ts";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { createDelegateHistory } from "../../../pipeline/score/delegates/delegate-history.ts";
import { askRegistry } from "../../../pipeline/sources/ens/look-up-names.ts";
import { askForNames, fetchNames } from "../../../pipeline/stages/fetch-names.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { entityOf, scoredDao, walletOf } from "../documents/scored-daos.ts";
import { recordedEffects, testHome } from "../home/test-home.ts";
import { DAY, sampleDao, T } from "../score/sample-facts.ts";
import { addressAnswer, fakeEns, textAnswer } from "../sources/ens/fake-ens.ts";
import { dao as daoOnChain } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";

type NamesInput = Parameters<typeof fetchNames>[0];

const NOBODY: Registry = { daos: [], entities: [] };
const STARKNET = `0x${"7".repeat(64)}`;
const nameOf = (wallet: number) => `voter-${wallet}.eth`;

type NameCache = Warehouse["names"];

/** A cache that lives as long as the process. */
function createMemoryNameCache(): NameCache {
  const entries = new Map<string, Parameters<NameCache["write"]>[1]>();
  return {
    read: (address) => entries.get(address),
    write: (address, entry) => void entries.set(address, entry),
  };
}

/** Facts with one current list of delegates, each written as `wallet:votes`, or `wallet:votes:name`. */
function factsOf(delegates: string, spaceId = "a"): DaoFacts {
  const rows = delegates.split(" ").filter((row) => row !== "");
  const list = {
    ...{ spaceId, date: dayOf(T), asOfMs: T, isComplete: true, decimals: 0, fetchedAtMs: T },
    delegates: rows.map((row) => {
      const [wallet = "", votes = "", ens] = row.split(":");
      const address = wallet === "starknet" ? STARKNET : walletOf(Number(wallet));
      return { address, votes: BigInt(votes), delegatorsCount: 1, ens };
    }),
  };
  return sampleDao({ dao: { ...sampleDao().dao, spaceId }, delegateLists: [list] });
}

/** An ENS with names of wallets up to 10, and runs that look up names for these DAOs; an error is a DAO that cannot be read. */
function setUp(daos: readonly (DaoFacts | Error)[], cache: NameCache = createMemoryNameCache()) {
  const ens = fakeEns();
  for (let wallet = 1; wallet <= 10; wallet += 1) {
    ens.reverse(walletOf(wallet), textAnswer(nameOf(wallet)));
    ens.forward(nameOf(wallet), addressAnswer(walletOf(wallet)));
  }
  const addresses = daos
    .flatMap((dao) => (dao instanceof Error ? [] : dao.delegateLists))
    .flatMap((list) => list.delegates.map(({ address }) => address));
  const addressOfQuery = new Map(
    addresses.map((address) => [askRegistry(`${address.slice(2)}.addr.reverse`).data as string, address]),
  );
  /** The addresses whose reverse records were requested, in order. */
  const asked: string[] = [];
  const reader: typeof ens.reader = {
    ...ens.reader,
    read(reads) {
      asked.push(...reads.flatMap(({ data }) => addressOfQuery.get(data) ?? []));
      return ens.reader.read(reads);
    },
  };
  const { effects, steps, warnings } = recordedEffects({ nowMs: () => T });
  const input: NamesInput = {
    daos: daos.map((_, index) => ({ ...sampleDao().dao, spaceId: String(index) })),
    registry: NOBODY,
    warehouse: {
      names: cache,
      daoFacts({ spaceId }) {
        const facts = daos[Number(spaceId)];
        if (facts === undefined || facts instanceof Error) throw facts;
        return facts;
      },
    },
    reader,
    effects,
  };
  const run = (change: Partial<NamesInput> = {}) => fetchNames({ ...input, ...change });
  return { ens, asked, steps, warnings, run };
}

describe("the addresses whose names are looked up", () => {
  it("are none without a node, and nothing is read", async () => {
    const unread = () => {
      throw new Error("the warehouse was read");
    };
    const warehouse = { names: { read: unread, write: unread }, daoFacts: unread };
    const input = { daos: [factsOf("").dao], registry: NOBODY, warehouse, settings: testHome() };
    expect(await askForNames(input, {}, recordedEffects().effects)).toEqual({
      summary: { hasNode: false, asked: 0, found: 0, without: 0, failed: 0, skipped: 0 },
      counters: undefined,
    });
  });

  it("are those that a listing publishes", async () => {
    // Fewer than a cut in T1, more in T2 and in T3.
    const rows = Array.from({ length: 450 }, (_, index) => {
      const power = index < 50 ? 40_000_000 : index < 250 ? 3_000_000 : 100_000;
      return `${index + 1}:${power - index}`;
    });
    const facts = factsOf(rows.join(" "));
    const latestDelegates = createDelegateHistory(facts).at(T);
    const scored = { ...scoredDao({}), latestDelegates };
    const listing = buildDelegateListing(scored, publicEntities(NOBODY))?.latest;
    const { run, asked } = setUp([facts]);
    await run();
    expect(asked).toEqual(listing?.delegates.map(({ address }) => address));
    expect(asked).toHaveLength(50 + 100 + 100);
  });

  it.each([
    { why: "the highest ranks of all DAOs first", daos: ["1:9 2:8 3:7", "4:2 5:1"], want: [1, 4, 2, 5, 3] },
    { why: "each once, by its best rank", daos: ["1:9 2:8", "2:5", "3:7 2:5"], want: [1, 2, 3] },
    { why: "none that the list names", daos: ["1:9:own.eth 2:8"], want: [2] },
    { why: "none without power", daos: ["1:9 2:0"], want: [1] },
    { why: "none on Starknet", daos: ["starknet:9 2:8"], want: [2] },
    { why: "none without delegates", daos: [""], want: [] },
    { why: "none without DAOs", daos: [], want: [] },
  ])("are $why", async ({ daos, want }) => {
    const { run, asked } = setUp(daos.map((delegates, index) => factsOf(delegates, `dao-${index}`)));
    await run();
    expect(asked).toEqual(want.map(walletOf));
  });

  it("include no wallet of an entity that opted out", async () => {
    const { run, ens, asked } = setUp([factsOf("1:9 2:8 3:7")]);
    const entities = [
      entityOf("hidden", { wallets: [walletOf(1)], isOptedOut: true }),
      entityOf("open", { wallets: [walletOf(2)] }),
    ];
    expect(await run({ registry: { daos: [], entities } })).toMatchObject({ asked: 2, skipped: 0 });
    expect(asked).toEqual([walletOf(2), walletOf(3)]);
    expect(JSON.stringify(ens.asked())).not.toContain(walletOf(1).slice(2));
  });

  it("include no address whose name is known and fresh", async () => {
    const cache = createMemoryNameCache();
    const rows: readonly [wallet: number, name: string | undefined, ageMs: number][] = [
      [1, "a.eth", 3.5 * DAY - 1],
      [2, "b.eth", 3.5 * DAY],
      [3, undefined, 14 * DAY - 1],
      [4, undefined, 14 * DAY],
      [5, "e.eth", 0],
      // The clock was set back.
      [6, "f.eth", -1],
    ];
    for (const [wallet, name, ageMs] of rows) cache.write(walletOf(wallet), { name, checkedAtMs: T - ageMs });
    const { run, asked } = setUp([factsOf("1:9 2:8 3:7 4:6 5:5 6:4")], cache);
    await run();
    expect(asked).toEqual([2, 4, 6].map(walletOf));
  });

  it("are no more than the limit of a run; the next run continues", async () => {
    const { run, asked } = setUp([factsOf("1:9 2:8 11:7 4:6 5:5")]);
    const runs: object[] = [];
    for (let day = 0; day < 4; day += 1) {
      const { found, without, skipped } = await run({ addressesMax: 2 });
      runs.push({ asked: asked.splice(0), found, without, skipped });
    }
    expect(runs).toEqual([
      { asked: [1, 2].map(walletOf), found: 2, without: 0, skipped: 3 },
      { asked: [11, 4].map(walletOf), found: 1, without: 1, skipped: 1 },
      { asked: [5].map(walletOf), found: 1, without: 0, skipped: 0 },
      { asked: [], found: 0, without: 0, skipped: 0 },
    ]);
  });
});

describe("the result of a lookup", () => {
  const facts = factsOf("1:9 11:8 3:7");

  it("is counted and reported", async () => {
    const { run, steps, warnings } = setUp([facts]);
    expect(await run()).toEqual({ hasNode: true, asked: 3, found: 2, without: 1, failed: 0, skipped: 0 });
    expect(steps).toEqual([["names", 3, 3, "ens", { found: 2, without: 1, failed: 0, skipped: 0 }]]);
    expect(warnings).toEqual([]);
  });

  it("is a warning if a lookup fails, with the reason if the node is gone", async () => {
    const failing = setUp([facts]);
    failing.ens.reverse(walletOf(3), { fault: true });
    expect(await failing.run()).toMatchObject({ asked: 3, found: 1, without: 1, failed: 1, skipped: 0 });
    const gone = setUp([facts]);
    gone.ens.state.isAway = true;
    expect(await gone.run()).toMatchObject({ asked: 0, failed: 0, skipped: 3 });
    expect([...failing.warnings, ...gone.warnings]).toEqual([
      "the names of 1 of 3 addresses could not be looked up: no answer",
      "the names of 3 of 3 addresses could not be looked up: the node stopped responding",
    ]);
  });

  it.each([
    { why: "expectedly", error: pipelineFailure("WAREHOUSE_CORRUPT", "a ballot is damaged") },
    { why: "unexpectedly", error: new TypeError("a ballot is damaged") },
  ])("includes the other DAOs if one fails $why", async ({ error }) => {
    const { run, warnings } = setUp([error, facts]);
    expect(await run()).toMatchObject({ asked: 3, found: 2 });
    expect(warnings).toEqual(["0: no names were looked up: a ballot is damaged"]);
  });

  it("includes everybody if the stored names cannot be read", async () => {
    const broken = () => {
      throw new Error("disk I/O error");
    };
    const { run } = setUp([facts], { read: broken, write: broken });
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

  /** Everything that a version contains about the DAO's delegates. */
  const published = (warehouse: Warehouse) => {
    const history = createDelegateHistory(warehouse.daoFacts(dao, registry));
    const ranked = { latestDelegates: history.at(T), datedDelegates: history.dated(T) };
    const scored = { ...scoredDao({ spaceId: dao.spaceId }), ...ranked };
    return JSON.stringify(buildDelegateListing(scored, publicEntities(registry)));
  };

  it("are in the latest listing and in those of past days, whatever their age, and never of an opted-out entity", async () => {
    const warehouse = home.open();
    const fetch = warehouse.beginSpaceFetch({ spaceId: dao.spaceId, sourceId: "archive", fetchedAtMs: T });
    const events = [powerOf(1, 9, 3), powerOf(2, 8, 3), powerOf(11, 7, 2)];
    fetch.put({ kind: "delegation-events", token: dao.governor?.token ?? "", events });
    fetch.commit();
    // A name from before the entity opted out.
    warehouse.names.write(walletOf(2), { name: nameOf(2), checkedAtMs: T - DAY });
    const { run } = setUp([], warehouse.names);
    expect(await run({ daos: [dao], registry, warehouse })).toMatchObject({ asked: 2, found: 1, without: 1 });
    const listings = published(warehouse);
    // The latest, once cut and once whole, and two days.
    expect(listings.match(/"ens":"voter-1\.eth"/g)).toHaveLength(2 + 2);
    expect(listings).not.toContain(nameOf(2));
    expect(listings).toContain(walletOf(2));
    const again = home.open();
    again.names.write(walletOf(1), { name: nameOf(1), checkedAtMs: T - 900 * DAY });
    expect(published(again)).toBe(listings);
  });
});
