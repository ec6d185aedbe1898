import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import {
  closedProposal,
  crowdedVotes,
  NOW_MS,
  putWithVotes,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import type { ArrivedQuery } from "../../../support/fake-hub/start-fake-hub.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
const NULL_IN_VOTE = "Cannot return null for non-nullable field Vote.choice.";

/** Answers each query of votes with what this makes of it. */
const answerVotes = (bodyOf: (query: ArrivedQuery) => unknown) =>
  stage.hub().failWith((query) => {
    const body = query.operation === "Votes" ? bodyOf(query) : undefined;
    return body === undefined ? undefined : { kind: "body", body };
  });

/** Puts a proposal with votes; answers them as the hub does. */
function put(id: string, count: number): readonly HubRow[] {
  const proposal = stage.put(id, count);
  return Array.from({ length: count }, (_, n) => ({ ...voteOn(proposal, n + 1), proposal: { id } }));
}

describe("votes of which the hub cannot give one, because its choice is null", () => {
  it("cost the one ballot that is one short, which says so, and is whole once it can", async () => {
    const { store } = stage.hub();
    const [, odd] = ["0x1", "0x2", "0x3"].map((id) => stage.put(id));
    store.castVote(voteOn(odd ?? {}, 2, { choice: null }));
    const record = await stage.fetch();
    expect(record).toMatchObject({ status: "complete", votes: 8, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(stage.counts()).toEqual({ "0x1": 3, "0x2": 2, "0x3": 3 });
    const message =
      "2 voters were received, but the hub counts 3; the hub cannot return 1 of its votes: a required field is null";
    expect(stage.warehouse().rejections()).toMatchObject([{ file: "votes/0x2", message }]);
    store.castVote(voteOn(odd ?? {}, 2));
    expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 9, rejected: {} });
    stage.asked();
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

  it.each([1_000, 100, 7])("lose no other of 2,500 that share seconds, at %i a page", async (pageSize) => {
    const proposal = closedProposal("0x1");
    const isNull = (index: number) => index % 500 === 99 || (index >= 600 && index % 400 === 0);
    const votes = crowdedVotes(proposal).map((vote, index) =>
      isNull(index) ? { ...vote, choice: null } : vote,
    );
    putWithVotes(stage.hub().store, proposal, votes);
    const withheld = votes.filter(({ choice }) => choice === null).length;
    expect(withheld).toBeGreaterThan(5);
    expect(await stage.fetch({ pageSize })).toMatchObject({
      status: "complete",
      votes: 2_500 - withheld,
      rejected: { VOTES_INCOMPLETE: 1 },
    });
  });

  it("are found by the place that the hub names, where it gives no vote for one", async () => {
    const proposal = stage.put("0x1");
    const start = NOW_MS / 1000 - 900_000;
    const rows = Array.from({ length: 40 }, (_, n) => voteOn(proposal, n + 1, { created: start + n }));
    putWithVotes(stage.hub().store, proposal, rows);
    const odd = 17;
    answerVotes(({ variables }) => {
      const { created_gte: from } = variables["where"] as { readonly created_gte: number };
      const first = Math.max(0, from - start) + Number(variables["skip"]);
      if (odd < first || odd >= first + Number(variables["first"])) return undefined;
      const errors = [{ message: NULL_IN_VOTE, path: ["votes", odd - first, "choice"] }];
      return { errors, data: { votes: null } };
    });
    expect(await stage.fetch({ pageSize: 30 })).toMatchObject({
      votes: 39,
      rejected: { VOTES_INCOMPLETE: 1 },
    });
    expect(stage.warehouse().rejections()[0]?.message).toContain("cannot return 1 of its votes");
    // Of the first page nothing, then what precedes the row, then the rest.
    expect(stage.asked()["Votes"]).toBe(3);
  });

  it.each<[why: string, message: string, path: readonly unknown[], votes: unknown]>([
    ["an error beside the null", "no", ["votes", 0, "choice"], [null]],
    ["an error about nothing", NULL_IN_VOTE, ["votes"], [null]],
    ["a row that was not asked for", NULL_IN_VOTE, ["votes", 1_000, "choice"], null],
    ["another field", NULL_IN_VOTE, ["space", 0, "name"], [null]],
  ])("are no excuse for any other error: %s", async (_why, message, path, votes) => {
    stage.put("0x1");
    answerVotes(() => ({ errors: [{ message, path }], data: { votes } }));
    expect(await stage.fetch()).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
  });

  it("give all others of a batch at the cost of three requests, and three for the ballot", async () => {
    for (let n = 0; n < 64; n += 1) put(`0x${n}`, 3);
    const { store } = stage.hub();
    store.castVote({ ...voteOn(store.proposals.get("0x5") ?? {}, 2), choice: null });
    expect(await stage.fetch()).toMatchObject({ votes: 63 * 3 + 2, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(stage.asked()["Votes"]).toBe(3 + 3);
  });
});

it("rejects a proposal that the hub cannot give, and keeps what is held of it", async () => {
  const { store } = stage.hub();
  for (let n = 0; n < 20; n += 1) stage.put(`0x${n}`);
  await stage.fetch();
  store.putProposal({ ...store.proposals.get("0x7"), title: null });
  expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 60, rejected: { BAD_SHAPE: 2 } });
  expect(stage.facts().proposals.filter(({ isDeleted }) => isDeleted)).toEqual([]);
});

describe("votes in one second", () => {
  /** Puts 5 votes, then so many in the next second, then 5; 995 of the crowd are on the first page. */
  function putCrowd(crowd: number): void {
    stage.put("0x1");
    const crowded = closedProposal("0x2");
    const start = Number(crowded["start"]);
    const votes = Array.from({ length: crowd + 10 }, (_, n) =>
      voteOn(crowded, n + 1, { created: n < 5 ? start : n < crowd + 5 ? start + 60 : start + 61 }),
    );
    putWithVotes(stage.hub().store, crowded, votes);
    stage.put("0x3");
  }
  const READABLE = 5_995;

  it.each([
    { why: "as many as can be skipped", crowd: READABLE },
    { why: "one more", crowd: READABLE + 1 },
    { why: "twice as many", crowd: 2 * READABLE },
  ])("$crowd, $why: none is doubled, those after them come, and what is lost is said", async ({ crowd }) => {
    putCrowd(crowd);
    const came = READABLE + 10;
    const isCut = crowd > READABLE;
    const rejected = isCut ? { VOTES_INCOMPLETE: 1 } : {};
    expect(await stage.fetch()).toMatchObject({ status: "complete", ballots: 3, rejected });
    expect(stage.counts()).toEqual({ "0x1": 3, "0x2": came, "0x3": 3 });
    const message = `${came} voters were received, but the hub counts ${crowd + 10}; more votes were cast in one second than the hub lets anybody read`;
    expect(stage.warehouse().rejections()).toMatchObject(isCut ? [{ file: "votes/0x2", message }] : []);
    stage.asked();
    expect((await stage.fetch({ nowMs: NOW_MS + 60 * DAY_MS })).rejected).toEqual(rejected);
    expect(stage.asked()["Votes"], "what is held of it stays").toBeUndefined();
  });

  it("come as well after an interruption, wherever it was", async () => {
    putCrowd(6_700);
    for (let pages = 1; pages < 9; pages += 3) {
      let served = 0;
      stage.hub().failWith(({ operation }) => {
        if (operation === "Votes") served += 1;
        return served > pages ? { kind: "restart" } : undefined;
      });
      await stage.fetch({ isFull: true });
    }
    stage.hub().failWith(undefined);
    await stage.fetch({ isFull: true });
    expect(stage.counts()["0x2"]).toBe(READABLE + 10);
  });
});

describe("a hub that answers other rows than were asked for", () => {
  it("makes no ballot whole with votes on another proposal", async () => {
    const rows = [...put("0x1", 3).slice(0, 2), ...put("0x2", 3).slice(0, 1)];
    answerVotes(({ variables: { where } }) =>
      (where as HubRow)["proposal"] === "0x2" ? undefined : { data: { votes: rows } },
    );
    expect(await stage.fetch()).toMatchObject({
      votes: 5,
      rejected: { PROPOSAL_UNKNOWN: 1, VOTES_INCOMPLETE: 1 },
    });
    expect(stage.warehouse().rejections()).toMatchObject([
      { code: "PROPOSAL_UNKNOWN" },
      { code: "VOTES_INCOMPLETE", message: "2 voters were received, but the hub counts 3" },
    ]);
    stage.hub().failWith(undefined);
    expect(await stage.fetch()).toMatchObject({ votes: 6, rejected: {} });
  });

  it.each([
    { why: "all votes of the space, whatever is asked", rows: (all: readonly HubRow[]) => all },
    { why: "one vote again and again", rows: (all: readonly HubRow[]) => Array(1_000).fill(all[0]) },
    { why: "rows of nobody", rows: () => Array(1_000).fill({ proposal: { id: "0x9" }, created: 1 }) },
    { why: "nothing", rows: () => [] },
  ])("is not asked much more often than it has ballots: $why", async ({ rows }) => {
    const all = Array.from({ length: 60 }, (_, n) => put(`0x${n}`, 3)).flat();
    answerVotes(({ variables }) => ({ data: { votes: rows(all).slice(0, Number(variables["first"])) } }));
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBeLessThanOrEqual(3 * 60);
  });
});

describe("a hub that can give no vote at all, because each has a null", () => {
  const errorsIn = (count: number) =>
    Array.from({ length: count }, (_, row) => ({ message: NULL_IN_VOTE, path: ["votes", row, "choice"] }));

  it("is not asked second by second for what it never gives", async () => {
    put("0x1", 3_000);
    answerVotes(({ variables }) => {
      const errors = errorsIn(Number(variables["first"]));
      return { errors, data: { votes: errors.map(() => null) } };
    });
    const record = await stage.fetch();
    expect(record).toMatchObject({ status: "complete", votes: 0, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(stage.asked()["Votes"]).toBeLessThan(10);
  });

  it("fails the DAO instead of being asked for each row alone", async () => {
    for (let n = 0; n < 40; n += 1) put(`0x${n}`, 100);
    const body = { errors: errorsIn(1), data: { votes: null } };
    stage
      .hub()
      .failWith(({ operation }) => (operation.startsWith("Votes") ? { kind: "body", body } : undefined));
    expect((await stage.fetch()).error).toEqual({
      code: "SOURCE_FAILED",
      message: "the hub cannot return more than 300 rows: a required field of each is null",
    });
    expect(stage.asked()["Votes"]).toBeLessThan(4_000);
  });
});
