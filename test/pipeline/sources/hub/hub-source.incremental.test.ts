import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import { closedProposal, NOW_MS, putWithVotes, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
const change = (id: string, change: HubRow) => {
  const { store } = stage.hub();
  store.putProposal({ ...store.proposals.get(id), ...change });
};
const held = () => {
  const { proposals, ballots } = stage.facts();
  return Object.fromEntries(
    proposals.map((one) => [
      one.proposalId,
      `${one.isFlagged ? "flagged " : ""}${one.isDeleted ? "deleted " : ""}${ballots.get(one.proposalId)?.count ?? "no"} votes`,
    ]),
  );
};

/** A space with an old, a recent and an open proposal, fetched once. */
async function fetchedOnce(): Promise<void> {
  stage.put("0xold", 3, {}, 900);
  stage.put("0xnew");
  stage.put("0xopen", 3, { scores_state: "pending" }, 1);
  expect(await stage.fetch()).toMatchObject({ status: "complete", proposals: 3, votes: 6, rejected: {} });
  expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
}

describe("a second fetch", () => {
  it("asks for the space and the frame's proposals, and for no vote again", async () => {
    await fetchedOnce();
    const before = stage.facts();
    const record = await stage.fetch();
    expect(stage.hub().arrived.map(({ variables }) => variables["where"])).toEqual([
      undefined,
      { space: "sample.eth", created_gte: 0, end_gte: NOW_MS / 1000 - 730 * 86_400 },
    ]);
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 });
    expect(record).toMatchObject({ proposals: 3, ballots: 2, votes: 6, rejected: {} });
    expect(stage.facts()).toEqual(before);
  });

  it.each(["scores_updated", "updated"])(
    "takes the votes of what was counted again with the same count and total: %s moved",
    async (field) => {
      await fetchedOnce();
      const { store } = stage.hub();
      store.castVote(voteOn(store.proposals.get("0xnew") ?? {}, 1, { choice: 1 }));
      await stage.fetch();
      expect(stage.asked()["Votes"], "nothing says that it changed").toBeUndefined();
      change("0xnew", { [field]: NOW_MS / 1000 - 60 });
      await stage.fetch();
      expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
      const { choices, choiceIndexes } = stage.facts().ballots.get("0xnew") ?? {};
      expect(choices?.[choiceIndexes?.[0] ?? -1]).toEqual({ kind: "single", option: 1 });
      await stage.fetch();
      expect(stage.asked()["Votes"]).toBeUndefined();
    },
  );

  it("tells again what was refused of the ballots that it keeps, and not of those that it takes anew", async () => {
    const { store } = stage.hub();
    for (const id of ["0xnew", "0xother"]) store.castVote(voteOn(stage.put(id), 2, { vp: -1 }));
    const first = await stage.fetch();
    expect(first.rejected).toEqual({ POWER_INVALID: 2 });
    const rows = stage.warehouse().rejections();
    expect(rows.map(({ file }) => file)).toEqual(["votes/0xnew", "votes/0xother"]);
    for (const why of ["nothing changed", "nor since"]) {
      expect((await stage.fetch()).rejected, why).toEqual(first.rejected);
      expect(stage.warehouse().rejections(), why).toEqual(rows);
    }
    stage.hub().failWith(() => ({ kind: "status", status: 403, body: {} }));
    expect(await stage.fetch(), "what is held came with them").toMatchObject({
      status: "failed",
      rejected: first.rejected,
    });
    stage.hub().failWith(undefined);
    store.castVote(voteOn(store.proposals.get("0xnew") ?? {}, 2));
    change("0xnew", { scores_updated: NOW_MS / 1000 - 60 });
    expect((await stage.fetch()).rejected).toEqual({ POWER_INVALID: 1 });
    expect(stage.warehouse().rejections()).toEqual(rows.slice(1));
    store.castVote(voteOn(store.proposals.get("0xother") ?? {}, 2));
    expect((await stage.fetch({ isFull: true })).rejected).toEqual({});
  });

  it("asks again for a ballot with a power that was not final, until it is", async () => {
    const proposal = stage.put("0xnew");
    stage.hub().store.castVote(voteOn(proposal, 2, { vp_state: "pending" }));
    for (const why of ["it came", "it came again"]) {
      expect((await stage.fetch()).rejected, why).toEqual({ VOTES_INCOMPLETE: 1 });
      expect(stage.asked()["Votes"]).toBe(1);
    }
    expect(stage.warehouse().rejections()).toMatchObject([
      { file: "votes/0xnew", message: "the power of 1 of 3 votes was not final" },
    ]);
    const later = { nowMs: NOW_MS + 60 * DAY_MS };
    expect((await stage.fetch(later)).rejected).toEqual({ VOTES_INCOMPLETE: 1 });
    expect(stage.asked()["Votes"], "by then it stays so").toBeUndefined();
    stage.hub().store.castVote(voteOn(proposal, 2));
    await stage.fetch();
    expect(held()).toEqual({ "0xnew": "3 votes" });
    expect((await stage.fetch()).rejected).toEqual({});
    expect(stage.asked()["Votes"]).toBe(1);
  });

  it("takes the votes of what has become final, and of what is new", async () => {
    await fetchedOnce();
    change("0xopen", { scores_state: "final" });
    stage.put("0xnewer", 3, {}, 2);
    await stage.fetch();
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
    expect(held()).toEqual({
      "0xold": "3 votes",
      "0xnew": "3 votes",
      "0xopen": "3 votes",
      "0xnewer": "3 votes",
    });
  });

  it("learns what was flagged later, and cleared again", async () => {
    await fetchedOnce();
    change("0xnew", { flagged: true });
    await stage.fetch();
    expect(held()["0xnew"]).toBe("flagged 3 votes");
    change("0xnew", { flagged: false });
    await stage.fetch();
    expect(held()["0xnew"]).toBe("3 votes");
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

  it("marks what the hub no longer has as deleted, and clears it when it comes back", async () => {
    await fetchedOnce();
    const { store } = stage.hub();
    const gone = store.proposals.get("0xnew") ?? {};
    store.proposals.delete("0xnew");
    await stage.fetch();
    expect(held()["0xnew"]).toBe("deleted 3 votes");
    // Listed, then asked for by id.
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 2 });
    await stage.fetch();
    expect(held()["0xnew"]).toBe("deleted 3 votes");
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 });
    store.putProposal(gone);
    await stage.fetch();
    expect(held()["0xnew"]).toBe("3 votes");
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

  it("keeps all that is held where more than half vanishes at once, unless everything is asked for again", async () => {
    await fetchedOnce();
    for (let n = 0; n < 12; n += 1) stage.put(`0xb${n}`);
    await stage.fetch();
    const before = held();
    const { store } = stage.hub();
    const ids = Object.keys(before).filter((id) => id.startsWith("0xb"));
    for (const id of ids.slice(0, 10)) store.proposals.delete(id);
    expect(await stage.fetch(), "boundary: ten are deleted by people").toMatchObject({ status: "complete" });
    for (const id of ids) store.proposals.delete(id);
    for (let n = 0; n < 12; n += 1) stage.put(`0xc${n}`);
    await stage.fetch();
    for (let n = 0; n < 12; n += 1) store.proposals.delete(`0xc${n}`);
    expect(await stage.fetch()).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("no longer has 12 of 14 held proposals") },
    });
    expect(held()["0xc1"]).toBe("3 votes");
    expect(await stage.fetch({ isFull: true })).toMatchObject({ status: "complete" });
    expect(held()["0xc1"]).toBe("deleted 3 votes");
  });

  it.each([
    { why: "fewer votes", came: 40, counted: 100, isKept: true },
    { why: "none", came: 0, counted: 100, isKept: true },
    { why: "one less", came: 99, counted: 100, isKept: true },
    { why: "fewer than it counts by now", came: 40, counted: 60, isKept: true },
    { why: "as few as it counts by now", came: 60, counted: 60, isKept: false },
    { why: "more, but not all", came: 110, counted: 120, isKept: false },
  ])(
    "keeps a complete ballot where what was counted again comes with $why, until all come: $isKept",
    async ({ came, counted, isKept }) => {
      const { store } = stage.hub();
      const proposal = closedProposal("0xnew");
      const votes = (count: number) => Array.from({ length: count }, (_, n) => voteOn(proposal, n + 1));
      putWithVotes(store, proposal, votes(100));
      await stage.fetch();
      const whole = stage.facts();
      store.votes.clear();
      const again = { ...proposal, scores_updated: NOW_MS / 1000 - 60 };
      putWithVotes(store, again, votes(came));
      change("0xnew", { votes: counted, scores_total: 7 });
      for (const why of ["a replica lags behind", "and still does"]) {
        stage.asked();
        const record = await stage.fetch();
        expect(record.rejected, why).toEqual(came < counted ? { VOTES_INCOMPLETE: 1 } : {});
        expect(held()["0xnew"]).toBe(`${isKept ? 100 : came} votes`);
        if (!isKept) continue;
        expect(stage.facts(), "the counts are those of the votes").toEqual(whole);
        expect(stage.asked()["Votes"]).toBeGreaterThan(0);
        expect(stage.warehouse().rejections()[0]?.message).toBe(
          `${came} voters were received, but the hub counts ${counted}; the 100 votes that are held are kept`,
        );
      }
      putWithVotes(store, again, votes(counted));
      expect(await stage.fetch()).toMatchObject({ votes: counted, rejected: {} });
      stage.asked();
      await stage.fetch();
      expect(stage.asked()["Votes"]).toBeUndefined();
    },
  );

  it.each([
    { why: "fewer still", came: 40, holds: 90 },
    { why: "more", came: 95, holds: 95 },
  ])("of an incomplete ballot keeps the longer where $why come", async ({ came, holds }) => {
    const { store } = stage.hub();
    const proposal = closedProposal("0xnew");
    const cast = (count: number) => {
      store.votes.clear();
      stage.cast(proposal, count);
      change("0xnew", { votes: 100 });
    };
    cast(90);
    await stage.fetch();
    cast(came);
    expect((await stage.fetch({ isFull: true })).rejected).toEqual({ VOTES_INCOMPLETE: 1 });
    expect(held()["0xnew"]).toBe(`${holds} votes`);
    cast(100);
    expect(await stage.fetch()).toMatchObject({ votes: 100, rejected: {} });
  });

  it("keeps a vote that the hub could return once and cannot any more", async () => {
    await fetchedOnce();
    const { store } = stage.hub();
    store.castVote(voteOn(store.proposals.get("0xnew") ?? {}, 2, { choice: null }));
    change("0xnew", { scores_updated: NOW_MS / 1000 - 60 });
    expect((await stage.fetch()).rejected).toEqual({ VOTES_INCOMPLETE: 1 });
    expect(held()["0xnew"]).toBe("3 votes");
  });

  it("keeps a ballot that the hub now counts at nothing", async () => {
    await fetchedOnce();
    change("0xnew", { votes: 0 });
    await stage.fetch();
    expect(held()["0xnew"]).toBe("3 votes");
  });

  it("does not take for deleted what moved out of the frame, or what it cannot read any more", async () => {
    await fetchedOnce();
    for (let n = 0; n < 20; n += 1) stage.put(`0xb${n}`);
    await stage.fetch();
    const end = NOW_MS / 1000 - 800 * 86_400;
    change("0xnew", { start: end - 10, end });
    change("0xb1", { end: -5 });
    change("0xb2", { start: 0, created: 0 });
    change("0xb3", { votes: "three" });
    const record = await stage.fetch();
    expect(record.rejected).toEqual({ BAD_SHAPE: 1, TIME_IMPOSSIBLE: 2, VOTE_OUTSIDE_WINDOW: 3 });
    expect(held()).toMatchObject({
      "0xnew": "3 votes",
      "0xb1": "3 votes",
      "0xb2": "3 votes",
      "0xb3": "3 votes",
      "0xold": "3 votes",
    });
  });

  it("asks by id for no more than a hundred at once, or a page", async () => {
    for (let n = 0; n < 230; n += 1) stage.hub().store.putProposal(closedProposal(`0x${n}`));
    await stage.fetch();
    stage.hub().store.proposals.clear();
    stage.asked();
    expect(await stage.fetch({ isFull: true })).toMatchObject({ status: "complete", proposals: 230 });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 + 3 });
    expect(stage.facts().proposals.every((one) => one.isDeleted)).toBe(true);
  });

  it("takes votes anew where the hub counts otherwise", async () => {
    await fetchedOnce();
    const proposal = stage.hub().store.proposals.get("0xnew") ?? {};
    stage.cast(proposal, 4);
    await stage.fetch();
    expect(held()["0xnew"]).toBe("4 votes");
    expect(stage.asked()["Votes"]).toBe(1);
  });

  it("asks for everything with --full", async () => {
    await fetchedOnce();
    const before = stage.facts();
    await stage.fetch({ isFull: true });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
    expect(stage.facts()).toEqual(before);
  });

  it("that failed in between changes nothing for the third", async () => {
    await fetchedOnce();
    const before = stage.facts();
    stage.hub().failWith(({ operation }) => (operation === "Proposals" ? { kind: "restart" } : undefined));
    expect((await stage.fetch()).status).toBe("failed");
    expect(stage.facts()).toEqual(before);
    stage.hub().failWith(undefined);
    stage.asked();
    await stage.fetch();
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 });
  });

  it("two years later still sees what changed meanwhile", async () => {
    await fetchedOnce();
    change("0xopen", { scores_state: "final" });
    await stage.fetch({ nowMs: NOW_MS + 735 * DAY_MS });
    expect(held()["0xopen"]).toBe("3 votes");
  });
});

describe("--since", () => {
  it("asks for what ended then or later, and leaves the rest as it is", async () => {
    stage.put("0xold", 3, {}, 900);
    stage.put("0xnew");
    await stage.fetch({ sinceMs: NOW_MS - 100 * DAY_MS });
    expect(held()).toEqual({ "0xnew": "3 votes" });
    await stage.fetch();
    expect(held()).toEqual({ "0xold": "3 votes", "0xnew": "3 votes" });
    stage.hub().store.proposals.delete("0xnew");
    await stage.fetch({ sinceMs: NOW_MS - 5 * DAY_MS });
    expect(held()).toEqual({ "0xold": "3 votes", "0xnew": "3 votes" });
    stage.asked();
    await stage.fetch();
    expect(held()).toEqual({ "0xold": "3 votes", "0xnew": "deleted 3 votes" });
  });

  it("with --full asks again for no more than that", async () => {
    await fetchedOnce();
    await stage.fetch({ sinceMs: NOW_MS - 100 * DAY_MS, isFull: true });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
    expect(held()["0xold"]).toBe("3 votes");
  });
});
