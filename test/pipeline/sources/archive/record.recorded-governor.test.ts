import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GovernanceSource } from "../../../../pipeline/facts/governance-source.ts";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import { createArchiveSource } from "../../../../pipeline/sources/archive/archive-source.ts";
import { createRecordedGovernor } from "../../../../pipeline/sources/archive/record.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc, type Rpc, rpcOf } from "../../../../pipeline/sources/governor/rpc.ts";
import type { Warehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import { governedDao } from "../../../support/chain/governed-dao.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";

const SPACE_ID = "governed.example";

/** Fetches one DAO; answers the record and the facts, without what tells the source. */
async function fetchInto(warehouse: Warehouse, source: GovernanceSource, dao: TrackedDao) {
  const { sourceId } = source;
  const fetch = warehouse.beginSpaceFetch({ spaceId: SPACE_ID, sourceId, fetchedAtMs: 1_750_000_000_000 });
  try {
    await source.fetchSpace(dao, fetch);
  } catch (error) {
    fetch.fail({ code: "SOURCE_FAILED", message: "broke off" });
    throw error;
  }
  const { sourceId: _, ...record } = fetch.commit();
  const facts = warehouse.daoFacts(dao, { daos: [dao], entities: [] });
  // An archive says that it is one, and only a node confirms logs.
  const said = { ...facts, isArchive: undefined, confirmations: undefined };
  return { record, facts: said, rejections: warehouse.rejections() };
}

/** The same into a warehouse of its own. */
async function fetched(source: GovernanceSource, dao: TrackedDao) {
  const home = createWarehouseHome();
  try {
    return await fetchInto(home.open(), source, dao);
  } finally {
    home.remove();
  }
}

describeOnChain("what a governor's fetch records", () => {
  let chain: TestChain;
  let dao: TrackedDao;
  let directory: string;
  beforeAll(async () => {
    chain = await startChain();
    dao = { spaceId: SPACE_ID, name: "Governed", category: "defi", governor: await governedDao(chain) };
  });
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "govdata-recorded-"));
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await chain.close();
  });

  const node = (): Rpc => createRpc({ http: plainHttpClient(), url: chain.url });
  const recordAt = (place: string, rpc: Rpc = node()) =>
    createRecordedGovernor({ directory: place, rpcOf: () => rpc });
  const pathIn = (place: string) => join(place, "chains", "31337", `${SPACE_ID}.ndjson`);

  it("replays to the same facts, counts and rejections, through no node", async () => {
    const live = await fetched(recordAt(directory), dao);
    expect(live.record).toMatchObject({ proposals: 3, votes: 6, logs: 9, rejected: {} });
    const replayed = await fetched(createArchiveSource({ directory }), dao);
    expect(replayed).toEqual(live);
    expect(await fetched(createArchiveSource({ directory }), dao)).toEqual(replayed);
  });

  it("is the same record when nothing has changed, and no part of another is left", async () => {
    const again = join(directory, "again");
    await fetched(recordAt(again), dao);
    expect(readFileSync(pathIn(again), "utf8")).toBe(readFileSync(pathIn(directory), "utf8"));
    await fetched(recordAt(again), dao);
    expect(readFileSync(pathIn(again), "utf8")).toBe(readFileSync(pathIn(directory), "utf8"));
    expect(readdirSync(join(again, "chains", "31337"))).toEqual([`${SPACE_ID}.ndjson`]);
  });

  /** A node that is gone when it is asked for the logs of the governor, those of the token being kept by then. */
  const leavingNode = (): Rpc =>
    rpcOf(async (calls) => {
      const isAsked = calls.some(({ method, params }) => {
        const [filter] = params as readonly [{ address?: string }];
        return method === "eth_getLogs" && filter.address === dao.governor?.governor;
      });
      if (isAsked) throw new Error("gone");
      return node().callMany(calls);
    });

  it("leaves an earlier record as it was where the node breaks off", async () => {
    const before = readFileSync(pathIn(directory), "utf8");
    await expect(fetched(recordAt(directory, leavingNode()), dao)).rejects.toThrow("gone");
    expect(readFileSync(pathIn(directory), "utf8")).toBe(before);
    expect(readdirSync(join(directory, "chains", "31337"))).toEqual([`${SPACE_ID}.ndjson`]);
  });

  it.each<{ why: string; earlier: (warehouse: Warehouse, place: string) => Promise<unknown> }>([
    {
      why: "a fetch that ended well",
      earlier: (warehouse) => fetchInto(warehouse, createGovernorSource({ rpcOf: node }), dao),
    },
    {
      why: "a whole fetch that broke off",
      earlier: (warehouse) => {
        const source = createGovernorSource({ rpcOf: leavingNode, isFull: true });
        return expect(fetchInto(warehouse, source, dao)).rejects.toThrow("gone");
      },
    },
    {
      why: "a recording that broke off",
      earlier: (warehouse, place) =>
        expect(fetchInto(warehouse, recordAt(place, leavingNode()), dao)).rejects.toThrow("gone"),
    },
  ])("takes nothing from what is held of $why", async ({ earlier }) => {
    const home = createWarehouseHome();
    const place = mkdtempSync(join(directory, "held-"));
    const warehouse = home.open();
    await earlier(warehouse, place);
    const live = await fetchInto(warehouse, recordAt(place), dao);
    home.remove();
    expect(readFileSync(pathIn(place), "utf8")).toBe(readFileSync(pathIn(directory), "utf8"));
    const { record, ...replayed } = await fetched(createArchiveSource({ directory: place }), dao);
    expect(record).toMatchObject({ proposals: 3, votes: 6, logs: 9 });
    expect(replayed).toEqual({ facts: live.facts, rejections: live.rejections });
  });

  it("fails, and says so, where the registry asks another question than the record answers", async () => {
    const governor = { ...dao.governor, firstBlock: 2 } as NonNullable<TrackedDao["governor"]>;
    await expect(fetched(createArchiveSource({ directory }), { ...dao, governor })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: expect.stringContaining(`chains/31337/${SPACE_ID}.ndjson holds no answer to eth_get`),
    });
  });
});

describe("createRecordedGovernor", () => {
  const governor = undefined;
  const dao: TrackedDao = { spaceId: SPACE_ID, name: "Plain", category: "defi", governor };

  it("makes no file for a DAO that no chain knows", async () => {
    const directory = mkdtempSync(join(tmpdir(), "govdata-recorded-"));
    const source = createRecordedGovernor({ directory, rpcOf: () => undefined });
    await expect(fetched(source, dao)).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `the registry names no governor for ${SPACE_ID}`,
    });
    expect(existsSync(join(directory, "chains"))).toBe(false);
    rmSync(directory, { recursive: true });
  });
});
