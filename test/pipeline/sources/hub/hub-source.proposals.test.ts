import { describe, expect, it } from "vitest";
import { closedProposal, NOW_MS, NOW_S, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

describe("a count that does not fit", () => {
  it.each([
    { why: "fewer came", votes: 4, says: "3 voters were received, but the hub counts 4" },
    { why: "more came", votes: 2, says: "3 voters were received, but the hub counts 2" },
  ])("is said, and the ballot is asked for again: $why", async ({ votes, says }) => {
    const { store } = stage.hub();
    const proposal = closedProposal("0x1");
    stage.cast(proposal, 3);
    store.putProposal({ ...proposal, votes, scores_total: 6 });
    expect(await stage.fetch()).toMatchObject({ votes: 3, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(stage.warehouse().rejections()[0]?.message).toBe(says);
    stage.asked();
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBe(1);
    // A month after the end it is no longer asked for, and still said.
    const record = await stage.fetch({ nowMs: NOW_MS + 30 * 86_400_000 });
    expect(stage.asked()["Votes"]).toBeUndefined();
    expect(record).toMatchObject({ votes: 3, rejected: { VOTES_INCOMPLETE: 1 } });
  });

  it("is no matter where the hub does not count", async () => {
    const { store } = stage.hub();
    const proposal = closedProposal("0x1", { votes: null });
    store.putProposal(proposal);
    store.castVote(voteOn(proposal, 1));
    expect(await stage.fetch()).toMatchObject(
      // The current hub counts everywhere: it gives no such proposal.
      stage.release === "former" ? { votes: 1, rejected: {} } : { votes: 0, rejected: { BAD_SHAPE: 1 } },
    );
  });
});

describe("a proposal", () => {
  it.each([
    { why: "still open", change: { state: "active", end: NOW_S + 60 } },
    { why: "not yet counted", change: { scores_state: "pending" } },
    { why: "without votes", change: { votes: 0 } },
  ])("$why is taken and its votes are not asked for", async ({ change }) => {
    const { store } = stage.hub();
    store.putProposal(closedProposal("0x1", { votes: 3, ...change }));
    expect(await stage.fetch()).toMatchObject({ proposals: 1, ballots: 0, rejected: {} });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 });
  });

  it("that is deleted between its listing and its votes is deleted, or by the next listing", async () => {
    const { store } = stage.hub();
    const proposal = closedProposal("0x1");
    stage.cast(proposal, 1);
    stage.hub().failWith(({ operation }) => {
      if (operation === "Votes") store.proposals.delete("0x1");
      return undefined;
    });
    expect(await stage.fetch()).toMatchObject({ status: "complete", proposals: 1, ballots: 0 });
    // The current hub has no votes then, which another hub may have.
    if (stage.release === "current") {
      expect(stage.warehouse().rejections()).toMatchObject([{ code: "VOTES_INCOMPLETE" }]);
      await stage.fetch();
    }
    expect(stage.facts().proposals[0]).toMatchObject({ isDeleted: true });
  });

  it.each([
    { why: "of a Starknet author", change: { author: `0x${"4a".repeat(31)}b` }, isTaken: true },
    {
      why: "of the old kind",
      change: { id: "QmTTFufhTCpveRA6zrNKcSkQJqA1Cy13AnJYzQWmApyUUT" },
      isTaken: true,
    },
    { why: "with an id to quote", change: { id: "a b" }, isTaken: false },
    { why: "that ends before it starts", change: { start: NOW_S }, isTaken: false },
    { why: "of milliseconds", change: { created: NOW_MS, start: NOW_MS, end: NOW_MS }, isTaken: false },
    { why: "of a form we do not know", change: { votes: "none" }, isTaken: false },
    { why: "with choices of a form the hub does not know", change: { choices: "none" }, isTaken: false },
  ])("$why: taken is $isTaken, and the others are", async ({ change, isTaken }) => {
    const { store } = stage.hub();
    for (let n = 2; n < 30; n += 1) store.putProposal(closedProposal(`0x${n}`));
    store.putProposal(closedProposal("0x1", change));
    const record = await stage.fetch({ pageSize: 1_000 });
    expect(record).toMatchObject({ status: "complete", proposals: isTaken ? 29 : 28 });
    expect(Object.keys(record.rejected)).toHaveLength(isTaken ? 0 : 1);
  });

  it.each([{ pageSize: 1_000 }, { pageSize: 100 }, { pageSize: 3 }])(
    "is not lost among 250 of one second at $pageSize a page",
    async ({ pageSize }) => {
      const { store } = stage.hub();
      for (let n = 0; n < 250; n += 1) store.putProposal(closedProposal(`0x${(n * 37) % 251}`));
      expect(await stage.fetch({ pageSize })).toMatchObject({ proposals: 250, rejected: {} });
    },
  );
});
