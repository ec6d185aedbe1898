import { describe, expect, it } from "vitest";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import { closedProposal, putWithVotes, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

function put(id: string, count: number): readonly HubRow[] {
  const proposal = closedProposal(id);
  const votes = Array.from({ length: count }, (_, n) => voteOn(proposal, n + 1));
  putWithVotes(stage.hub().store, proposal, votes);
  return votes.map((vote) => ({ ...vote, proposal: { id } }));
}

const NULL_IN_VOTE = "Cannot return null for non-nullable field Vote.choice.";

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
    const own = put("0x1", 3);
    const others = put("0x2", 3);
    const rows = [...own.slice(0, 2), ...others.slice(0, 1)];
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
        operation === "Votes" ? { kind: "body", body: withheldVotes(1, true) } : undefined,
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
