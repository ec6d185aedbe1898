import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import { closedProposal, NOW_MS, NOW_S, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
const DAY_S = 86_400;
const change = (id: string, given: HubRow) => {
  const { store } = stage.hub();
  store.putProposal({ ...store.proposals.get(id), ...given });
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
      { space: "sample.eth", created_gte: 0, end_gte: NOW_S - 730 * DAY_S },
    ]);
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 });
    expect(record).toMatchObject({ proposals: 3, ballots: 2, votes: 6, rejected: {} });
    expect(stage.facts()).toEqual(before);
    await stage.fetch({ isFull: true });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
    expect(stage.facts()).toEqual(before);
  });

  it.each<[why: string, change: HubRow, isAsked: boolean]>([
    ["nothing changed", {}, false],
    ["it has another title", { title: "new" }, false],
    ["it was flagged", { flagged: true }, false],
    ["its scores are pending again", { scores_state: "pending" }, false],
    ["it has no votes any more", { votes: 0 }, false],
    ["it has another count", { votes: 4 }, true],
    ["it has another total", { scores_total: 8 }, true],
    ["it was edited", { updated: NOW_S - 60 }, true],
    ["it was counted anew", { scores_updated: NOW_S - 60 }, true],
    ["it has another start", { start: NOW_S - 18 * DAY_S }, true],
    ["it has another end", { end: NOW_S - 9 * DAY_S }, true],
    ["it has another type", { type: "basic" }, true],
    ["it has another choice", { choices: ["For", "Against", "Abstain"] }, true],
  ])("where %s, %o: asks for a held ballot again: %s", async (_why, given, isAsked) => {
    stage.put("0x1");
    await stage.fetch();
    change("0x1", given);
    stage.asked();
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBe(isAsked ? 1 : undefined);
    expect(stage.counts()).toEqual({ "0x1": 3 });
  });

  it("does not ask again for a ballot of a program that knew no revisions", async () => {
    const proposalId = String(stage.put("0x1")["id"]);
    await stage.fetch();
    const [proposal] = stage.facts().proposals;
    const attempt = { spaceId: "sample.eth", sourceId: "snapshot-hub", fetchedAtMs: NOW_MS };
    const fetch = stage.warehouse().beginSpaceFetch(attempt);
    if (proposal !== undefined)
      fetch.put({ kind: "proposal", proposal: { ...proposal, revision: undefined } });
    fetch.memory?.keepVotes(proposalId);
    fetch.commit();
    stage.asked();
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

  it("takes the votes of what was counted again with the same count and total", async () => {
    await fetchedOnce();
    const { store } = stage.hub();
    store.castVote(voteOn(store.proposals.get("0xnew") ?? {}, 1, { choice: 1 }));
    change("0xnew", { scores_updated: NOW_S - 60 });
    await stage.fetch();
    const { choices, choiceIndexes } = stage.facts().ballots.get("0xnew") ?? {};
    expect(choices?.[choiceIndexes?.[0] ?? -1]).toEqual({ kind: "single", option: 1 });
    stage.asked();
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

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
    change("0xnew", { scores_updated: NOW_S - 60 });
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
    stage.hub().store.castVote(voteOn(proposal, 2));
    await stage.fetch();
    expect((await stage.fetch()).rejected).toEqual({});
    expect(stage.asked()["Votes"]).toBe(1);
  });

  it("takes the votes of what has become final, and of what is new", async () => {
    await fetchedOnce();
    change("0xopen", { scores_state: "final" });
    stage.put("0xnewer", 3, {}, 2);
    await stage.fetch();
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 1 });
    expect(stage.counts()).toEqual({ "0xold": 3, "0xnew": 3, "0xopen": 3, "0xnewer": 3 });
  });

  it("learns what was flagged later, and cleared again", async () => {
    await fetchedOnce();
    for (const flagged of [true, false]) {
      change("0xnew", { flagged });
      await stage.fetch();
      expect(held()["0xnew"]).toBe(flagged ? "flagged 3 votes" : "3 votes");
    }
  });

  it("marks what the hub no longer has as deleted, and clears it when it comes back", async () => {
    await fetchedOnce();
    const { store } = stage.hub();
    const gone = store.proposals.get("0xnew") ?? {};
    store.proposals.delete("0xnew");
    // Listed, then asked for by id; once it is known, only listed.
    for (const asked of [2, 1]) {
      await stage.fetch();
      expect(held()["0xnew"]).toBe("deleted 3 votes");
      expect(stage.asked()).toEqual({ Space: 1, Proposals: asked });
    }
    store.putProposal(gone);
    await stage.fetch();
    expect(held()["0xnew"]).toBe("3 votes");
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

  it("keeps all that is held where more than half vanishes at once, unless everything is asked for again", async () => {
    await fetchedOnce();
    for (let n = 0; n < 12; n += 1) stage.put(`0xb${n}`);
    await stage.fetch();
    const { store } = stage.hub();
    const drop = (letter: string, count: number) => {
      for (let n = 0; n < count; n += 1) store.proposals.delete(`0x${letter}${n}`);
    };
    drop("b", 10);
    expect(await stage.fetch(), "boundary: ten are deleted by people").toMatchObject({ status: "complete" });
    drop("b", 12);
    for (let n = 0; n < 12; n += 1) stage.put(`0xc${n}`);
    await stage.fetch();
    drop("c", 12);
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
      stage.put("0xnew", 100);
      await stage.fetch();
      const whole = stage.facts();
      store.votes.clear();
      const again = closedProposal("0xnew", { scores_updated: NOW_S - 60 });
      stage.cast(again, came);
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
      stage.cast(again, counted);
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
    const cast = (count: number) => {
      stage.hub().store.votes.clear();
      stage.put("0xnew", count);
      change("0xnew", { votes: 100 });
    };
    cast(90);
    await stage.fetch();
    cast(came);
    expect((await stage.fetch({ isFull: true })).rejected).toEqual({ VOTES_INCOMPLETE: 1 });
    expect(stage.counts()).toEqual({ "0xnew": holds });
    cast(100);
    expect(await stage.fetch()).toMatchObject({ votes: 100, rejected: {} });
  });

  it("keeps a vote that the hub could return once and cannot any more", async () => {
    await fetchedOnce();
    const { store } = stage.hub();
    store.castVote(voteOn(store.proposals.get("0xnew") ?? {}, 2, { choice: null }));
    change("0xnew", { scores_updated: NOW_S - 60 });
    expect((await stage.fetch()).rejected).toEqual({ VOTES_INCOMPLETE: 1 });
    expect(held()["0xnew"]).toBe("3 votes");
  });

  it("does not take for deleted what moved out of the frame, or what it cannot read any more", async () => {
    await fetchedOnce();
    for (let n = 0; n < 20; n += 1) stage.put(`0xb${n}`);
    await stage.fetch();
    const end = NOW_S - 800 * DAY_S;
    change("0xnew", { start: end - 10, end });
    change("0xb1", { end: -5 });
    change("0xb2", { start: 0, created: 0 });
    change("0xb3", { votes: "three" });
    const record = await stage.fetch();
    expect(record.rejected).toEqual({ BAD_SHAPE: 1, TIME_IMPOSSIBLE: 2, VOTE_OUTSIDE_WINDOW: 3 });
    for (const id of ["0xnew", "0xb1", "0xb2", "0xb3", "0xold"]) expect(held()[id], id).toBe("3 votes");
  });

  it("asks by id for no more than a hundred at once", async () => {
    for (let n = 0; n < 230; n += 1) stage.hub().store.putProposal(closedProposal(`0x${n}`));
    await stage.fetch();
    stage.hub().store.proposals.clear();
    stage.asked();
    expect(await stage.fetch({ isFull: true })).toMatchObject({ status: "complete", proposals: 230 });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1 + 3 });
    expect(stage.facts().proposals.every((one) => one.isDeleted)).toBe(true);
  });
});

describe("the end from which proposals are listed", () => {
  interface Fetch {
    readonly day?: number;
    readonly sinceS?: number;
    readonly isFull?: boolean;
  }
  const frameS = (days: number) => NOW_S - days * DAY_S;
  it.each<[why: string, fetches: readonly Fetch[], fromS: number]>([
    ["all, the first time", [{}], 0],
    ["the frame, once all were listed", [{}, {}], frameS(730)],
    ["the frame of the last time, however long ago", [{ day: -100 }, {}], frameS(830)],
    ["all again, when it shall", [{}, { isFull: true }], 0],
    ["what is asked for", [{ sinceS: 5.999 }], 5],
    ["what is asked for again", [{}, { sinceS: 5, isFull: true }], 5],
    ["all, where only later ones were listed", [{ sinceS: 1 }, {}], 0],
    ["all since, where only later ones were listed", [{ sinceS: 9 }, { sinceS: 8 }], 8],
    ["the frame, where as many were listed", [{ sinceS: 8 }, { sinceS: 8 }], frameS(730)],
    ["less than the frame, where less is asked for", [{}, { sinceS: NOW_S }], NOW_S],
    ["the frame, where the clock was set back", [{ day: 5 }, {}], frameS(730)],
    ["not before 1970", [{ sinceS: -1 }], 0],
    ["the frame of a listing of the frame", [{ day: -5 }, { sinceS: frameS(735) }, {}], frameS(730)],
    ["the frame before a listing of less", [{ day: -5 }, { sinceS: frameS(735) + 1 }, {}], frameS(735)],
    [
      "the frame of a listing further back",
      [{ sinceS: 9, day: -5 }, { sinceS: 7 }, { sinceS: 7 }],
      frameS(730),
    ],
  ])("is %s", async (_why, fetches, fromS) => {
    for (const { day = 0, sinceS, isFull = false } of fetches) {
      const sinceMs = sinceS === undefined ? undefined : sinceS * 1000;
      await stage.fetch({ nowMs: NOW_MS + day * DAY_MS, sinceMs, isFull });
    }
    expect(stage.hub().arrived.at(-1)?.variables["where"]).toMatchObject({ end_gte: fromS });
  });

  it("leaves all that ended before as it is", async () => {
    stage.put("0xold", 3, {}, 900);
    stage.put("0xnew");
    await stage.fetch({ sinceMs: NOW_MS - 100 * DAY_MS });
    expect(held()).toEqual({ "0xnew": "3 votes" });
    await stage.fetch();
    expect(held()).toEqual({ "0xold": "3 votes", "0xnew": "3 votes" });
    stage.hub().store.proposals.delete("0xnew");
    await stage.fetch({ sinceMs: NOW_MS - 5 * DAY_MS });
    expect(held()).toEqual({ "0xold": "3 votes", "0xnew": "3 votes" });
    await stage.fetch();
    expect(held()).toEqual({ "0xold": "3 votes", "0xnew": "deleted 3 votes" });
  });
});
