import { describe, expect, it } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import {
  closedProposal,
  NOW_MS,
  NOW_S,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
  voter,
} from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

/** Fetches what one proposal with these votes becomes. */
async function fetchOne(change: HubRow, votes: readonly HubRow[] = []) {
  const proposal = closedProposal("0x1", change);
  putWithVotes(
    stage.hub().store,
    proposal,
    votes.map((vote, index) => voteOn(proposal, index + 1, vote)),
  );
  const record = await stage.fetch();
  const { proposals, ballots } = stage.facts();
  return { record, proposal: proposals[0], ballot: ballots.get("0x1") };
}

describe("a space", () => {
  it("comes with how it votes", async () => {
    expect(await stage.fetch()).toMatchObject({ status: "complete", proposals: 0, votes: 0 });
    expect(stage.facts().space).toEqual({
      name: "Sample",
      website: "https://sample.example/",
      forum: "https://forum.sample.example/",
      isProposingGated: false,
      hasFixedPeriod: true,
      quorum: 100,
      adminsAndModeratorsCount: 1,
      isFlagged: false,
      isHibernated: false,
      isVerified: false,
    });
  });

  it("is asked for again without its forum where the hub knows none", async () => {
    const refusal = { kind: "status", status: 400, body: {} } as const;
    stage.hub().failWith((_query, count) => (count === 0 ? refusal : undefined));
    expect(await stage.fetch()).toMatchObject({ status: "complete" });
    expect(stage.facts().space).toMatchObject({ website: "https://sample.example/", forum: undefined });
  });

  const VOTING_OF = { quorum: undefined, hasFixedPeriod: undefined };
  it.each<[why: string, change: HubRow, names: readonly string[], unknown: object, requests: number]>([
    [
      "a quorum of words, which may be null",
      { voting: { period: 9, quorum: "many" } },
      ["voting"],
      VOTING_OF,
      1,
    ],
    [
      "a kind of quorum that is an object, which may not",
      { voting: { period: 9, quorumType: {} } },
      ["voting"],
      VOTING_OF,
      2,
    ],
    [
      "a validation without a name, and a score of words",
      { validation: { name: null }, filters: { onlyMembers: false, minScore: "5,5" } },
      ["filters", "validation"],
      { isProposingGated: undefined },
      3,
    ],
    ["a forum that is an object, of which nothing is said", { discussions: {} }, [], { forum: undefined }, 1],
  ])("with %s is taken without it", async (_why, change, names, unknown, requests) => {
    await stage.fetch();
    const whole = stage.facts().space;
    stage.hub().store.putSpace(sampleSpace(change));
    stage.asked();
    expect(await stage.fetch()).toMatchObject({ status: "complete" });
    expect(stage.facts().space).toEqual({ ...whole, ...unknown });
    const messages = stage.warehouse().rejections();
    expect(new Set(messages.map(({ message }) => message))).toEqual(
      new Set(names.map((name) => `${name} is not valid and counts as unknown`)),
    );
    // Where the hub gives the rest, it is not asked again.
    expect(stage.asked()["Space"]).toBe(requests);
  });

  it("that the hub does not know fails, by its name", async () => {
    stage.hub().store.spaces.clear();
    const { error } = await stage.fetch();
    expect(error).toEqual({ code: "SOURCE_FAILED", message: `the hub has no space ${SPACE_ID}` });
    expect(stage.asked()).toEqual({ Space: 1 });
  });

  it("of another id fails, and says why", async () => {
    stage.fail("Space", { kind: "body", body: { data: { space: { id: "other.eth" } } } });
    expect((await stage.fetch()).error?.message).toContain("id is of another space");
    expect(stage.warehouse().rejections()).toMatchObject([
      { file: `spaces/${SPACE_ID}`, code: "ID_INVALID" },
    ]);
  });
});

describe("a proposal", () => {
  it.each([
    { type: "basic", choice: 3, read: { kind: "single", option: 3 } },
    { type: "single-choice", choice: 1, read: { kind: "single", option: 1 } },
    { type: "approval", choice: [2, 1], read: { kind: "list", options: [1, 2] } },
    { type: "ranked-choice", choice: [2, 1], read: { kind: "list", options: [2, 1] } },
    { type: "copeland", choice: [3, 1], read: { kind: "list", options: [3, 1] } },
    { type: "weighted", choice: { "1": 2 }, read: { kind: "weights", weights: [[1, 2]] } },
    { type: "quadratic", choice: { "2": 1 }, read: { kind: "weights", weights: [[2, 1]] } },
    { type: "of-next-year", choice: 2, read: { kind: "single", option: 2 } },
    { type: "of-next-year", choice: { "1": 1 }, read: { kind: "weights", weights: [[1, 1]] } },
  ])("of the type $type: $choice is read", async ({ type, choice, read }) => {
    const { ballot, proposal, record } = await fetchOne({ type, choices: ["a", "b", "c"] }, [{ choice }]);
    expect(proposal?.votingType).toBe(type === "of-next-year" ? "unknown" : type);
    expect(ballot?.choices).toEqual([read]);
    expect(record.rejected).toEqual({});
  });

  it("comes with totals of many digits, and with what hides nothing", async () => {
    const change = {
      quorum: 1.2345678901234568e21,
      title: " \u202EA\u00AD\nB ",
      link: "javascript:alert(1)",
    };
    const { proposal, record } = await fetchOne(change, [{ vp: 1.2345678901234568e21 }, { vp: 0.1 }]);
    expect(proposal).toMatchObject({ quorum: 1.2345678901234568e21, title: "A B", link: undefined });
    expect(proposal?.scoresTotal).toBe(1.2345678901234568e21 + 0.1);
    expect(record.rejected).toEqual({});
  });
});

describe("a count that does not fit", () => {
  it.each([
    { why: "fewer came", votes: 4, says: "3 voters were received, but the hub counts 4" },
    { why: "more came", votes: 2, says: "3 voters were received, but the hub counts 2" },
  ])("is said, and the ballot is asked for until 30 days after its end: $why", async ({ votes, says }) => {
    stage.cast(closedProposal("0x1"), 3);
    stage.hub().store.putProposal(closedProposal("0x1", { votes, scores_total: 6 }));
    // It ended ten days ago.
    for (const [afterMs, asked] of [
      [0, 1],
      [20 * DAY_MS, 1],
      [20 * DAY_MS + 1, undefined],
    ] as const) {
      const record = await stage.fetch({ nowMs: NOW_MS + afterMs });
      expect(record).toMatchObject({ votes: 3, rejected: { VOTES_INCOMPLETE: 1 } });
      expect(stage.asked()["Votes"]).toBe(asked);
      if (asked === 1) expect(stage.warehouse().rejections()[0]?.message).toBe(says);
    }
  });

  it("is no matter where the hub counts nothing", async () => {
    const proposal = { ...stage.put("0x1"), space: { id: SPACE_ID }, votes: null };
    stage.fail("Proposals", { kind: "body", body: { data: { proposals: [proposal] } } });
    expect(await stage.fetch()).toMatchObject({ votes: 3, rejected: {} });
  });
});

describe("a listed proposal", () => {
  it.each<[why: string, change: HubRow, isAsked: boolean]>([
    ["final", {}, true],
    ["that ends this moment", { end: NOW_S }, true],
    ["flagged, as it may be cleared again,", { flagged: true }, true],
    ["said to be closed before its end", { end: NOW_S + 1 }, false],
    ["still open", { state: "active" }, false],
    ["not yet counted", { scores_state: "pending" }, false],
    ["counted wrongly", { scores_state: "invalid" }, false],
    ["without votes", { votes: 0 }, false],
  ])("%s is taken, %o; its votes are asked for: %s", async (_why, change, isAsked) => {
    stage.cast(closedProposal("0x1"), 3);
    stage.hub().store.putProposal(closedProposal("0x1", { votes: 3, scores_total: 6, ...change }));
    expect(await stage.fetch()).toMatchObject({ proposals: 1, ballots: isAsked ? 1 : 0 });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, ...(isAsked ? { Votes: 1 } : {}) });
  });

  it("that is deleted between its listing and its votes is deleted by the next listing", async () => {
    stage.cast(closedProposal("0x1"), 1);
    stage.hub().failWith(({ operation }) => {
      if (operation === "Votes") stage.hub().store.proposals.delete("0x1");
      return undefined;
    });
    expect(await stage.fetch()).toMatchObject({ status: "complete", proposals: 1, ballots: 0 });
    expect(stage.warehouse().rejections()).toMatchObject([{ code: "VOTES_INCOMPLETE" }]);
    await stage.fetch();
    expect(stage.facts().proposals[0]).toMatchObject({ isDeleted: true });
  });

  it.each<[why: string, change: HubRow, isTaken: boolean]>([
    ["of a Starknet author", { author: `0x${"4a".repeat(31)}b` }, true],
    ["of the old kind", { id: "QmTTFufhTCpveRA6zrNKcSkQJqA1Cy13AnJYzQWmApyUUT" }, true],
    ["with an id to quote", { id: "a b" }, false],
    ["that ends before it starts", { start: NOW_S }, false],
    ["of milliseconds", { created: NOW_MS, start: NOW_MS, end: NOW_MS }, false],
    ["of a form we do not know", { votes: "none" }, false],
    ["with choices of a form the hub does not know", { choices: "none" }, false],
  ])("%s, %o: taken is %s, and the others are", async (_why, change, isTaken) => {
    for (let n = 2; n < 30; n += 1) stage.hub().store.putProposal(closedProposal(`0x${n}`));
    stage.hub().store.putProposal(closedProposal("0x1", change));
    const record = await stage.fetch();
    expect(record).toMatchObject({ status: "complete", proposals: isTaken ? 29 : 28 });
    expect(Object.keys(record.rejected)).toHaveLength(isTaken ? 0 : 1);
  });

  it.each([1_000, 100, 3])("is not lost among 250 of one second at %i a page", async (pageSize) => {
    for (let n = 0; n < 250; n += 1) stage.hub().store.putProposal(closedProposal(`0x${(n * 37) % 251}`));
    expect(await stage.fetch({ pageSize })).toMatchObject({ proposals: 250, rejected: {} });
  });
});

describe("an odd vote", () => {
  const odd = VOTE_FLAGS.choiceUnreadable | VOTE_FLAGS.outsideWindow;
  it.each<[why: string, vote: HubRow, rejected?: Readonly<Record<string, number>>, flag?: number]>([
    ["a power of many digits", { vp: 1.2345678901234568e21 }],
    [
      "a choice that was never decrypted",
      { choice: `0x${"ab".repeat(40)}` },
      { CHOICE_UNREADABLE: 1 },
      VOTE_FLAGS.choiceUnreadable,
    ],
    ["an option that is not there", { choice: 9 }, { CHOICE_UNREADABLE: 1 }, VOTE_FLAGS.choiceUnreadable],
    [
      "a time that the voter signed six days early",
      { created: NOW_S - 20 * 86_400 },
      { VOTE_OUTSIDE_WINDOW: 1 },
      VOTE_FLAGS.outsideWindow,
    ],
    ["a power that may still change", { vp_state: "pending" }, { VOTES_INCOMPLETE: 1 }],
  ])("is kept: %s", async (_why, vote, rejected = {}, flag = 0) => {
    const { ballot, record, proposal } = await fetchOne({ privacy: "shutter" }, [vote, {}]);
    expect([ballot?.count, record.rejected]).toEqual([2, rejected]);
    const flags = ballot?.flags[0] ?? 0;
    expect(flags & odd).toBe(flag);
    expect((flags & VOTE_FLAGS.final) !== 0).toBe(!("vp_state" in vote));
    expect(proposal?.isShutter).toBe(true);
  });

  it.each([
    { why: "a negative power", vote: { vp: -1 }, code: "POWER_INVALID" },
    { why: "a power of words", vote: { vp: "many" }, code: "BAD_SHAPE" },
    { why: "a voter who is none", vote: { voter: "x.eth" }, code: "ADDRESS_INVALID" },
    { why: "an id nobody should have to quote", vote: { id: "a b" }, code: "ID_INVALID" },
  ])("is refused, counted, and does not make the ballot incomplete: $why", async ({ vote, code }) => {
    const rest = Array.from({ length: 19 }, () => ({}));
    const { ballot, record } = await fetchOne({}, [vote, ...rest]);
    expect([ballot?.count, record.rejected]).toEqual([19, { [code]: 1 }]);
    expect(stage.warehouse().rejections()).toMatchObject([{ file: "votes/0x1", code }]);
  });

  it("of a power past every number is refused, and never becomes null", async () => {
    const proposal = closedProposal("0x1");
    const votes = [1, 2].map((n) => ({ ...voteOn(proposal, n), proposal: { id: "0x1" } }));
    stage.cast(proposal, 2);
    const body = JSON.stringify({ data: { votes } }).replace('"vp":2', '"vp":1e309');
    stage.fail("Votes", { kind: "body", body });
    expect(await stage.fetch()).toMatchObject({ votes: 1, rejected: { POWER_INVALID: 1 } });
  });

  it("of a Starknet voter counts, in one spelling", async () => {
    const { ballot, record } = await fetchOne({}, [
      { voter: `0x0${"4A".repeat(31)}b` },
      { voter: `0x${"4a".repeat(31)}c` },
      { voter: `0x${"5a".repeat(32)}` },
    ]);
    expect([ballot?.count, record.rejected]).toEqual([3, {}]);
    const attempt = { spaceId: "b", sourceId: "snapshot-hub", fetchedAtMs: 1 } as const;
    const fetch = stage.warehouse().beginSpaceFetch(attempt);
    expect(fetch.internVoter(`0x0${"4a".repeat(31)}c`)).toBeLessThanOrEqual(3);
  });
});

describe("settings", () => {
  it("send the key in its header, and none where there is none", async () => {
    await stage.fetch({ apiKey: "good" });
    await stage.fetch();
    expect(new Set(stage.hub().arrived.map(({ key }) => key))).toEqual(new Set(["good", undefined]));
  });

  it("fill a sink that remembers nothing, and tell a recorder what came", async () => {
    const proposal = closedProposal("0x1");
    putWithVotes(stage.hub().store, proposal, [voteOn(proposal, 1, { reason: "long" }), voteOn(proposal, 2)]);
    const kinds: string[] = [];
    const sink = await stage.read({
      pageSize: 1,
      record: ({ kind, spaceId }) => void kinds.push(`${kind} ${spaceId}`),
    });
    expect([sink.spaces.length, sink.proposals.length, sink.ballots[0]?.count]).toEqual([1, 1, 2]);
    expect([...sink.voters.keys()]).toEqual([voter(1).toLowerCase(), voter(2).toLowerCase()]);
    expect(kinds).toEqual(["space", "proposal", "vote", "vote"].map((kind) => `${kind} ${SPACE_ID}`));
  });
});
