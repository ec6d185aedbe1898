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
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
const NULL_IN_VOTE = "Cannot return null for non-nullable field Vote.choice.";

const counts = () =>
  Object.fromEntries([...stage.facts().ballots].map(([id, { count }]) => [id, count] as const));

describe("votes of which the hub cannot give one, because its choice is null", () => {
  it("cost the one ballot that is one short, which says so, and is whole once it can", async () => {
    const { store } = stage.hub();
    stage.put("0x1");
    const odd = stage.put("0x2");
    stage.put("0x3");
    store.castVote(voteOn(odd, 2, { choice: null }));
    const record = await stage.fetch();
    expect(record).toMatchObject({ status: "complete", votes: 8, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(counts()).toEqual({ "0x1": 3, "0x2": 2, "0x3": 3 });
    expect(stage.warehouse().rejections()).toMatchObject([
      {
        file: "votes/0x2",
        message:
          "2 voters were received, but the hub counts 3; the hub cannot return 1 of its votes: a required field is null",
      },
    ]);
    store.castVote(voteOn(odd, 2));
    expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 9, rejected: {} });
    stage.asked();
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBeUndefined();
  });

  it.each([1_000, 100, 7])("lose no other of 2,500 that share seconds, at %i a page", async (pageSize) => {
    const { store } = stage.hub();
    const proposal = closedProposal("0x1");
    const isNull = (index: number) => index % 500 === 99 || (index >= 600 && index % 400 === 0);
    putWithVotes(
      store,
      proposal,
      crowdedVotes(proposal).map((vote, index) => (isNull(index) ? { ...vote, choice: null } : vote)),
    );
    const withheld = Array.from({ length: 2_500 }, (_, index) => index).filter(isNull).length;
    expect(withheld).toBeGreaterThan(5);
    expect(await stage.fetch({ pageSize })).toMatchObject({
      status: "complete",
      votes: 2_500 - withheld,
      rejected: { VOTES_INCOMPLETE: 1 },
    });
  });

  it("are found by the place that the hub names, where it gives no vote for one", async () => {
    const { store } = stage.hub();
    const proposal = stage.put("0x1");
    const rows = Array.from({ length: 40 }, (_, n) =>
      voteOn(proposal, n + 1, { created: NOW_MS / 1000 - 900_000 + n }),
    );
    putWithVotes(store, proposal, rows);
    const odd = 17;
    stage.hub().failWith(({ operation, variables }) => {
      if (operation !== "Votes") return undefined;
      const { created_gte: from } = variables["where"] as { readonly created_gte: number };
      const first =
        Math.max(
          0,
          rows.findIndex((row) => Number(row["created"]) >= from),
        ) + Number(variables["skip"]);
      const isAsked = first <= odd && odd < first + Number(variables["first"]);
      const message = NULL_IN_VOTE;
      return isAsked
        ? {
            kind: "body",
            body: { errors: [{ message, path: ["votes", odd - first, "choice"] }], data: { votes: null } },
          }
        : undefined;
    });
    expect(await stage.fetch({ pageSize: 30 })).toMatchObject({
      votes: 39,
      rejected: { VOTES_INCOMPLETE: 1 },
    });
    expect(stage.warehouse().rejections()[0]?.message).toContain("cannot return 1 of its votes");
    // Of the first page nothing, then what precedes the row, then the rest.
    expect(stage.asked()["Votes"]).toBe(3);
  });

  it.each([
    {
      why: "an error beside the null",
      error: { message: "no", path: ["votes", 0, "choice"] },
      votes: [null],
    },
    { why: "an error about nothing", error: { message: NULL_IN_VOTE, path: ["votes"] }, votes: [null] },
    {
      why: "a row that was not asked for",
      error: { message: NULL_IN_VOTE, path: ["votes", 1_000, "choice"] },
      votes: null,
    },
    { why: "another field", error: { message: NULL_IN_VOTE, path: ["space", 0, "name"] }, votes: [null] },
  ])("are no excuse for any other error: $why", async ({ error, votes }) => {
    stage.put("0x1");
    stage
      .hub()
      .failWith(({ operation }) =>
        operation === "Votes" ? { kind: "body", body: { errors: [error], data: { votes } } } : undefined,
      );
    expect(await stage.fetch()).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
  });
});

describe("a proposal that the hub cannot give", () => {
  it("is rejected, and what is held of it is kept", async () => {
    const { store } = stage.hub();
    for (let n = 0; n < 20; n += 1) stage.put(`0x${n}`);
    await stage.fetch();
    store.putProposal({ ...store.proposals.get("0x7"), title: null });
    expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 60, rejected: { BAD_SHAPE: 2 } });
    expect(stage.facts().proposals.filter(({ isDeleted }) => isDeleted)).toEqual([]);
    expect(stage.asked()["Votes"]).toBeDefined();
  });
});

describe("votes in one second", () => {
  /** Puts 5 votes, then so many in the next second, then 5; 995 of the crowd are on the first page. */
  function putCrowd(crowd: number): void {
    const { store } = stage.hub();
    stage.put("0x1");
    const crowded = closedProposal("0x2");
    const start = Number(crowded["start"]);
    const votes = Array.from({ length: crowd + 10 }, (_, n) =>
      voteOn(crowded, n + 1, { created: n < 5 ? start : n < crowd + 5 ? start + 60 : start + 61 }),
    );
    putWithVotes(store, crowded, votes);
    stage.put("0x3");
  }
  const CUT = "more votes were cast in one second than the hub lets anybody read";

  it.each([
    { why: "as many as can be skipped", crowd: 5_995, both: 5_995, up: 5_995 },
    { why: "some more", crowd: 6_700, both: 6_700, up: 5_995 },
    { why: "as many as can be read from both ends", crowd: 11_995, both: 11_995, up: 5_995 },
    { why: "one more", crowd: 11_996, both: 11_995, up: 5_995 },
  ])("$crowd: $why", async ({ crowd, both, up }) => {
    putCrowd(crowd);
    const came = stage.release === "current" ? both : up;
    const isCut = came < crowd;
    const rejected = isCut ? { VOTES_INCOMPLETE: 1 } : {};
    expect(await stage.fetch()).toMatchObject({ status: "complete", ballots: 3, rejected });
    expect(counts()).toEqual({ "0x1": 3, "0x2": came + 10, "0x3": 3 });
    const message = `${came + 10} voters were received, but the hub counts ${crowd + 10}; ${CUT}`;
    expect(stage.warehouse().rejections()).toMatchObject(isCut ? [{ file: "votes/0x2", message }] : []);
    stage.asked();
    expect((await stage.fetch({ nowMs: NOW_MS + 60 * DAY_MS })).rejected).toEqual(rejected);
    expect(stage.asked()["Votes"], "what is held of it stays").toBeUndefined();
  });

  it("are whole after an interruption, wherever it was", async () => {
    putCrowd(6_700);
    const whole = stage.release === "current" ? 6_710 : 6_005;
    for (let pages = 1; pages < 11; pages += 3) {
      let served = 0;
      stage.hub().failWith(({ operation }) => {
        if (operation === "Votes") served += 1;
        return served > pages ? { kind: "restart" } : undefined;
      });
      await stage.fetch({ isFull: true });
    }
    stage.hub().failWith(undefined);
    await stage.fetch({ isFull: true });
    expect(counts()["0x2"]).toBe(whole);
  });
});

function put(id: string, count: number): readonly HubRow[] {
  const proposal = closedProposal(id);
  const votes = Array.from({ length: count }, (_, n) => voteOn(proposal, n + 1));
  putWithVotes(stage.hub().store, proposal, votes);
  return votes.map((vote) => ({ ...vote, proposal: { id } }));
}

/** A null in each of so many rows; with `isWhole` the hub gives no list at all for them. */
function withheldVotes(first: number, isWhole: boolean) {
  const errors = Array.from({ length: isWhole ? 1 : first }, (_, row) => ({
    message: NULL_IN_VOTE,
    path: ["votes", row, "choice"],
  }));
  return { errors, data: { votes: isWhole ? null : errors.map(() => null) } };
}

describe("a hub that answers other rows than were asked for", () => {
  it("makes no ballot whole with votes on another proposal", async () => {
    const added = put("0x1", 3);
    const others = put("0x2", 3);
    const rows = [...added.slice(0, 2), ...others.slice(0, 1)];
    stage.hub().failWith(({ operation, variables: { where } }) => {
      if (operation !== "Votes" || (where as HubRow)["proposal"] === "0x2") return undefined;
      return { kind: "body", body: { data: { votes: rows } } };
    });
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
    stage
      .hub()
      .failWith(({ operation, variables }) =>
        operation === "Votes"
          ? { kind: "body", body: { data: { votes: rows(all).slice(0, Number(variables["first"])) } } }
          : undefined,
      );
    await stage.fetch();
    expect(stage.asked()["Votes"]).toBeLessThanOrEqual(3 * 60);
  });
});

describe("a hub that can give no vote at all, because each has a null", () => {
  it("is not asked second by second for what it never gives", async () => {
    put("0x1", 3_000);
    stage
      .hub()
      .failWith(({ operation, variables }) =>
        operation === "Votes"
          ? { kind: "body", body: withheldVotes(Number(variables["first"]), false) }
          : undefined,
      );
    const record = await stage.fetch();
    expect(record).toMatchObject({ status: "complete", votes: 0, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(stage.asked()["Votes"]).toBeLessThan(10);
  });

  it("fails the DAO instead of being asked for each row alone", async () => {
    for (let n = 0; n < 40; n += 1) put(`0x${n}`, 100);
    stage
      .hub()
      .failWith(({ operation }) =>
        operation.startsWith("Votes") ? { kind: "body", body: withheldVotes(1, true) } : undefined,
      );
    const record = await stage.fetch();
    expect(record).toMatchObject({
      status: "failed",
      error: {
        code: "SOURCE_FAILED",
        message: "the hub cannot return more than 300 rows: a required field of each is null",
      },
    });
    expect(stage.asked()["Votes"]).toBeLessThan(4_000);
  });

  it("gives all others of a batch at the cost of three requests, and three for the ballot", async () => {
    const { store } = stage.hub();
    for (let n = 0; n < 64; n += 1) put(`0x${n}`, 3);
    store.castVote({ ...voteOn(store.proposals.get("0x5") ?? {}, 2), choice: null });
    expect(await stage.fetch()).toMatchObject({ votes: 63 * 3 + 2, rejected: { VOTES_INCOMPLETE: 1 } });
    expect(stage.asked()["Votes"]).toBe(stage.release === "current" ? 3 + 3 : 1 + 1);
  });
});
