import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GovernanceSource } from "../../../pipeline/facts/space-sink.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { createRecordedGovernor } from "../../../pipeline/run/recorded-governor.ts";
import { createArchiveSource } from "../../../pipeline/sources/archive/index.ts";
import { createRpc, type Rpc } from "../../../pipeline/sources/governor/rpc.ts";
import { governedDao } from "../../support/chain/governed-dao.ts";
import { plainHttpClient } from "../../support/chain/plain-http-client.ts";
import { startChain, type TestChain } from "../../support/chain/start-chain.ts";
import { describeOnChain } from "../../support/chain/with-chain.ts";
import { createWarehouseHome } from "../warehouse/warehouse-home.ts";

const SPACE_ID = "governed.example";

/** Fetches one DAO into a warehouse of its own; answers the record and the facts, without what tells the source. */
async function fetched(source: GovernanceSource, dao: TrackedDao) {
  const home = createWarehouseHome();
  try {
    const warehouse = home.open();
    const fetch = warehouse.beginSpaceFetch({
      spaceId: dao.spaceId,
      sourceId: source.sourceId,
      fetchedAtMs: 1_750_000_000_000,
    });
    await source.fetchSpace(dao, fetch);
    const { sourceId, ...record } = fetch.commit();
    const facts = warehouse.daoFacts(dao, { daos: [dao], entities: [] });
    return { record, facts: { ...facts, isArchive: undefined }, rejections: warehouse.rejections() };
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

  it("leaves an earlier record as it was where the node breaks off", async () => {
    const before = readFileSync(pathIn(directory), "utf8");
    let calls = 0;
    const away: Rpc = {
      ...node(),
      async call(method, params) {
        calls += 1;
        if (calls > 6) throw new Error("gone");
        return node().call(method, params);
      },
    };
    await expect(fetched(recordAt(directory, away), dao)).rejects.toThrow("gone");
    expect(calls).toBe(7);
    expect(readFileSync(pathIn(directory), "utf8")).toBe(before);
    expect(readdirSync(join(directory, "chains", "31337"))).toEqual([`${SPACE_ID}.ndjson`]);
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
