import { expect, it } from "vitest";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import { governedStage } from "./governed-stage.ts";

describeOnChain("a fetch that goes on from another", () => {
  const { on, by, finalized, mint, proposeOne, propose, proposeFor, fetch, expectWhole } = governedStage();

  it("asks a handful of times where nothing is new, and reads no log twice", async () => {
    await mint();
    await propose();
    await fetch();
    const again = await fetch();
    expect(again.requests).toBeLessThanOrEqual(8);
    expect(again.froms(on.token)).toEqual([]);
    expect(again.froms(on.address)).toEqual([]);
    const head = await finalized();
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
    const head = await finalized();
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
    const head = await finalized();
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
    expect(on.ledger.facts(on.governor).proposals).toHaveLength(5);
    await expectWhole();
    // Its end is moved past its start: now it can be taken, and only all of its logs tell how.
    await on.chain.send(by(0), on.address, "extend(uint256,uint64)", [bad, 60n]);
    await on.chain.mine(3);
    await fetch();
    expect(on.ledger.facts(on.governor).proposals).toHaveLength(6);
    await expectWhole();
  });
});
