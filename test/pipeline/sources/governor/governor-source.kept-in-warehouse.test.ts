import { afterAll, beforeAll, expect, it } from "vitest";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { type Account, startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { governedToken } from "./governed-token.ts";

describeOnChain("a chain that is read into a warehouse", () => {
  let chain: TestChain;
  let token: Account;
  let address: Account;
  let dao: TrackedDao;
  const home = createWarehouseHome();
  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deploy("PriorToken");
    address = await chain.deploy("AlphaEmitter");
    const governor = governedToken(token, 1, { governor: address, decimals: 0 });
    dao = { spaceId: "real.eth", name: "Real", category: "defi", governor };
  });
  afterAll(async () => {
    home.remove();
    await chain.close();
  });

  const by = (index: number) => chain.accounts[index] as Account;
  let lastId = 0n;
  const live = async () => {
    lastId += 1n;
    const start = BigInt(await chain.head()) + 1n;
    await chain.send(by(0), token, "mint(address,uint96)", [by(1), 7n]);
    await chain.send(by(1), token, "delegate(address)", [by(2)]);
    const args = [lastId, start, start + 6n, "One"];
    await chain.send(by(0), address, "propose(uint256,uint256,uint256,string)", args);
    await chain.send(by(1), address, "vote(uint256,bool,uint256)", [lastId, true, 5n]);
    await chain.send(by(2), address, "vote(uint256,bool,uint256)", [lastId, false, 6n]);
    await chain.mine(10);
  };
  /** A fetch of a process of its own; ends as one that is killed where `stop` requests are over. */
  const fetchOnce = async (where = home, stop = Infinity) => {
    const warehouse = where.open();
    const inner = plainHttpClient();
    let left = stop;
    const http: HttpClient = {
      ...inner,
      postJson(request) {
        left -= 1;
        if (left < 0) throw pipelineFailure("INTERRUPTED", "stopped");
        return inner.postJson(request);
      },
    };
    const attempt = { spaceId: dao.spaceId, sourceId: "governor", fetchedAtMs: 1_700_000_000_000 } as const;
    const fetch = warehouse.beginSpaceFetch(attempt);
    const source = createGovernorSource({
      rpcOf: () => createRpc({ http, url: chain.url }),
      rangesPerStep: 1,
    });
    try {
      await source.fetchSpace(dao, fetch);
      fetch.commit();
    } finally {
      warehouse.close();
    }
    return inner.counters().requests;
  };
  /** All facts, voters by what they cast: two warehouses number them apart. */
  const factsOf = (where = home) => {
    const warehouse = where.open();
    const { proposals, ballots, ...rest } = warehouse.daoFacts(dao, { daos: [dao], entities: [] });
    warehouse.close();
    const cast = [...ballots].map(([id, { powers, timesS, choices, choiceIndexes }]) => [
      id,
      [...powers].map((power, row) => [power, timesS[row], choices[choiceIndexes[row] ?? -1]]).sort(),
    ]);
    return { proposals, cast, events: rest.delegationEvents };
  };
  const expectWhole = async () => {
    const other = createWarehouseHome();
    try {
      await fetchOnce(other);
      expect(factsOf()).toEqual(factsOf(other));
    } finally {
      other.remove();
    }
  };

  it("holds the same after stops, late ends and a reorganisation as when it is read in one go", async () => {
    await live();
    for (const stop of [7, 12, 16]) await expect(fetchOnce(home, stop)).rejects.toThrow("stopped");
    await fetchOnce();
    await expectWhole();
    expect(factsOf().proposals).toHaveLength(1);
    expect(await fetchOnce()).toBeLessThanOrEqual(9);
    await live();
    await chain.send(by(0), address, "cancel(uint256)", [1n]);
    await chain.mine(4);
    await expect(fetchOnce(home, 9)).rejects.toThrow("stopped");
    await fetchOnce();
    await expectWhole();
    expect(factsOf().proposals.map(({ state }) => state)).toEqual(["cancelled", "closed"]);
    await chain.rpc("anvil_reorg", [18, []]);
    await chain.mine(3);
    await fetchOnce();
    await expectWhole();
    expect(factsOf().proposals).toHaveLength(1);
    expect(factsOf().events.length).toBeGreaterThan(0);
  });
});
