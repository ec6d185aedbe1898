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
import { governedStage, governedToken } from "./governed-stage.ts";

describeOnChain("a fetch that goes on from another", () => {
  const { on, by, mint, proposeOne, propose, proposeFor, fetch, expectWhole } = governedStage();

  it("asks a handful of times where nothing is new, and reads no log twice", async () => {
    await mint();
    await propose();
    await fetch();
    const again = await fetch();
    expect(again.requests).toBeLessThanOrEqual(8);
    expect(again.froms(on.token)).toEqual([]);
    expect(again.froms(on.address)).toEqual([]);
    const head = on.ledger.heldThrough()[0]?.number ?? 0;
    await on.chain.mine(4);
    const later = await fetch();
    expect(later.requests).toBeLessThanOrEqual(12);
    expect(later.froms(on.token)).toEqual([head + 1]);
    expect(later.froms(on.address)).toEqual([head + 1]);
    await expectWhole();
  });

  it("reads a governor again from the oldest vote that is still open", async () => {
    await propose();
    await fetch();
    const open = await proposeFor(30n);
    const created = await on.chain.head();
    await on.chain.mine(4);
    await fetch();
    await on.chain.send(by(2), on.address, "vote(uint256,bool,uint256)", [open, false, 9n]);
    await on.chain.mine(4);
    expect((await fetch()).froms(on.address)[0]).toBe(created);
    await on.chain.mine(40);
    await fetch();
    expect((await fetch()).froms(on.address)).toEqual([]);
    await expectWhole();
  });

  it("learns what became of a vote that is held, and keeps its ballot", async () => {
    const [executed, canceled] = [await propose(), await propose()];
    await fetch();
    const head = on.ledger.heldThrough()[0]?.number ?? 0;
    await on.chain.send(by(0), on.address, "execute(uint256)", [executed]);
    await on.chain.send(by(0), on.address, "cancel(uint256)", [canceled]);
    await on.chain.mine(4);
    const { froms, sink } = await fetch();
    expect(Math.min(...froms(on.address))).toBe(head + 1);
    const states = sink.proposals.map(({ proposalId, state }) => [proposalId, state]);
    expect(states).toEqual([
      [executed.toString(), "closed"],
      [canceled.toString(), "cancelled"],
    ]);
    expect(sink.ballots).toEqual([]);
    await expectWhole();
  });

  it.each([
    ["a vote after the end", "vote(uint256,bool,uint256)", [false, 77n]],
    ["an end that is moved", "extend(uint256,uint64)", [5_000n]],
  ])("reads all anew for %s, once", async (_why, signature, rest) => {
    const id = await propose();
    await fetch();
    await on.chain.send(by(3), on.address, signature, [id, ...rest]);
    await on.chain.mine(4);
    expect((await fetch()).froms(on.address)).toContain(on.firstBlock);
    await expectWhole();
    expect((await fetch()).froms(on.address)).not.toContain(on.firstBlock);
    await expectWhole();
  });

  it("refuses a second proposal of an id that is held, without reading anything again", async () => {
    const id = await propose();
    await fetch();
    const head = on.ledger.heldThrough()[0]?.number ?? 0;
    await proposeOne(id, 1n, 2n);
    await on.chain.mine(4);
    const { codes, froms } = await fetch();
    expect(codes).toContain("PROPOSAL_DUPLICATE");
    expect(Math.min(...froms(on.address))).toBe(head + 1);
    await expectWhole();
  });

  it("does not take back up what it has taken in, while an older vote is open", async () => {
    const held = await propose();
    await fetch();
    await proposeFor(500n);
    await on.chain.send(by(3), on.address, "vote(uint256,bool,uint256)", [held, false, 1n]);
    await on.chain.mine(4);
    // The late vote has all read anew, and is then a part of what is held although its block is read again.
    expect((await fetch()).froms(on.address)).toContain(on.firstBlock);
    expect((await fetch()).froms(on.address)).not.toContain(on.firstBlock);
    await expectWhole();
  });

  it("remembers a proposal that could not be taken, whose id nobody else gets", async () => {
    const bad = on.lastId + 100n;
    await proposeOne(bad, 50n, 40n);
    for (let count = 0; count < 5; count += 1) await propose();
    expect((await fetch()).codes).toEqual(["ENDS_BEFORE_START"]);
    await on.chain.mine(1);
    expect((await fetch()).codes).toEqual([]);
    const start = BigInt(await on.chain.head());
    await proposeOne(bad, start, start + 2n);
    await on.chain.mine(5);
    expect((await fetch()).codes).toEqual(["PROPOSAL_DUPLICATE"]);
    expect(on.ledger.proposals()).toHaveLength(5);
    await expectWhole();
    // Its end is moved past its start: now it can be taken, and only all of its logs tell how.
    await on.chain.send(by(0), on.address, "extend(uint256,uint64)", [bad, 60n]);
    await on.chain.mine(3);
    await fetch();
    expect(on.ledger.proposals()).toHaveLength(6);
    await expectWhole();
  });
});

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

  const accountAt = (index: number) => chain.accounts[index] as Account;
  let lastId = 0n;
  const live = async () => {
    lastId += 1n;
    const start = BigInt(await chain.head()) + 1n;
    await chain.send(accountAt(0), token, "mint(address,uint96)", [accountAt(1), 7n]);
    await chain.send(accountAt(1), token, "delegate(address)", [accountAt(2)]);
    const args = [lastId, start, start + 6n, "One"];
    await chain.send(accountAt(0), address, "propose(uint256,uint256,uint256,string)", args);
    await chain.send(accountAt(1), address, "vote(uint256,bool,uint256)", [lastId, true, 5n]);
    await chain.send(accountAt(2), address, "vote(uint256,bool,uint256)", [lastId, false, 6n]);
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
    await chain.send(accountAt(0), address, "cancel(uint256)", [1n]);
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
