import { describe, expect, it } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
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
import { dao } from "../../warehouse/sample-facts.ts";
import { memorySink } from "../memory-sink.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

/** Fetches what one proposal with these votes becomes. */
async function fetchOne(change: HubRow, votes: readonly HubRow[] = []) {
  const { store } = stage.hub();
  const proposal = closedProposal("0x1", change);
  putWithVotes(
    store,
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
    stage
      .hub()
      .failWith((_query, count) => (count === 0 ? { kind: "status", status: 400, body: {} } : undefined));
    expect(await stage.fetch()).toMatchObject({ status: "complete" });
    expect(stage.facts().space).toMatchObject({ website: "https://sample.example/", forum: undefined });
  });

  it("has proposals with what they are called and where they stand", async () => {
    const { store } = stage.hub();
    putWithVotes(store, closedProposal("0x1"), []);
    putWithVotes(
      store,
      closedProposal("0x2", { title: " \u202EA\u00AD\nB ", link: "javascript:alert(1)" }),
      [],
    );
    await stage.fetch();
    expect(stage.facts().proposals.map(({ title, link }) => [title, link])).toEqual([
      ["Proposal 0x1", "https://vote.example/#/s:sample.eth/proposal/0x1"],
      ["A B", undefined],
    ]);
  });

  it.each([
    { why: "a score of the filters", filters: { onlyMembers: false, minScore: 1 } },
    { why: "membership", filters: { onlyMembers: true, minScore: 0 } },
  ])("is gated by $why where its basic validation asks for none", async ({ filters }) => {
    stage.hub().store.putSpace(sampleSpace({ filters, validation: { name: "basic", params: {} } }));
    await stage.fetch();
    expect(stage.facts().space?.isProposingGated).toBe(true);
  });

  const VOTING_OF = { quorum: undefined, hasFixedPeriod: undefined };
  it.each<{ why: string; change: HubRow; names: readonly string[]; unknown: object; requests: number }>([
    {
      why: "a quorum of words, which may be null",
      change: { voting: { period: 9, quorum: "many" } },
      names: ["voting"],
      unknown: VOTING_OF,
      requests: 1,
    },
    {
      why: "a kind of quorum that is an object, which may not",
      change: { voting: { period: 9, quorumType: {} } },
      names: ["voting"],
      unknown: VOTING_OF,
      requests: 2,
    },
    {
      why: "moderators that are objects",
      change: { moderators: [{}] },
      names: ["moderators"],
      unknown: { adminsAndModeratorsCount: undefined },
      requests: 2,
    },
    {
      why: "a validation without a name, and a score of words",
      change: { validation: { name: null }, filters: { onlyMembers: false, minScore: "5,5" } },
      names: ["filters", "validation"],
      unknown: { isProposingGated: undefined },
      requests: 3,
    },
    {
      why: "a forum that is an object, of which nothing is said",
      change: { discussions: {} },
      names: [],
      unknown: { forum: undefined },
      requests: 1,
    },
  ])("with $why is taken without it", async ({ change, names, unknown, requests }) => {
    await stage.fetch();
    const whole = stage.facts().space;
    stage.hub().store.putSpace(sampleSpace(change));
    stage.asked();
    expect(await stage.fetch()).toMatchObject({ status: "complete" });
    expect(stage.facts().space).toEqual({ ...whole, ...unknown });
    expect(
      new Set(
        stage
          .warehouse()
          .rejections()
          .map(({ message }) => message),
      ),
    ).toEqual(new Set(names.map((name) => `${name} is not valid and counts as unknown`)));
    // Where the hub gives the rest, it is not asked again.
    expect(stage.asked()["Space"]).toBe(stage.release === "current" ? requests : 1);
  });

  it("that the hub does not know fails, by its name, and the next one is a DAO of its own", async () => {
    stage.hub().store.spaces.clear();
    const record = await stage.fetch();
    expect(record.error).toEqual({
      code: "SOURCE_FAILED",
      message: `the hub has no space ${SPACE_ID}`,
    });
    expect(stage.asked()).toEqual({ Space: 1 });
  });

  it("of another id or form fails, and says why", async () => {
    stage.hub().failWith(() => ({ kind: "body", body: { data: { space: { id: "other.eth" } } } }));
    expect((await stage.fetch()).error?.message).toContain("id is of another space");
    expect(stage.warehouse().rejections()).toMatchObject([
      { file: `spaces/${SPACE_ID}`, code: "ID_INVALID" },
    ]);
  });
});

describe("a proposal's type", () => {
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
  ])("$type: $choice is read", async ({ type, choice, read }) => {
    const { ballot, record } = await fetchOne({ type, choices: ["a", "b", "c"] }, [{ choice }]);
    expect(ballot?.choices).toEqual([read]);
    expect(record.rejected).toEqual({});
  });

  it.each([
    { quorumType: "default", isQuorumRejection: false, quorum: 1.2345678901234568e21 },
    { quorumType: "rejection", isQuorumRejection: true, quorum: 1.2345678901234568e21 },
    { quorumType: "of-next-year", isQuorumRejection: false, quorum: undefined },
  ])("comes with a quorum of the kind $quorumType, and totals of many digits", async (row) => {
    const { quorum, isQuorumRejection } = row;
    const change = { quorumType: row.quorumType, quorum: 1.2345678901234568e21 };
    const { proposal, record } = await fetchOne(change, [{ vp: 1.2345678901234568e21 }, { vp: 0.1 }]);
    expect(proposal).toMatchObject({ quorum, isQuorumRejection });
    expect(proposal?.scoresTotal).toBe(1.2345678901234568e21 + 0.1);
    expect(record.rejected).toEqual({});
  });

  it("that is not known is called so", async () => {
    expect((await fetchOne({ type: "of-next-year" })).proposal?.votingType).toBe("unknown");
  });
});

describe("an odd vote", () => {
  it.each([
    { why: "a power of many digits", vote: { vp: 1.2345678901234568e21 }, rejected: {}, flag: 0 },
    {
      why: "a choice that was never decrypted",
      vote: { choice: `0x${"ab".repeat(40)}` },
      rejected: { CHOICE_UNREADABLE: 1 },
      flag: VOTE_FLAGS.choiceUnreadable,
    },
    {
      why: "an option that is not there",
      vote: { choice: 9 },
      rejected: { CHOICE_UNREADABLE: 1 },
      flag: VOTE_FLAGS.choiceUnreadable,
    },
    {
      why: "a time that the voter signed six days early",
      vote: { created: NOW_S - 20 * 86_400 },
      rejected: { VOTE_OUTSIDE_WINDOW: 1 },
      flag: VOTE_FLAGS.outsideWindow,
    },
    ...(stage.release === "former"
      ? [{ why: "a power of null", vote: { vp: null }, rejected: {}, flag: 0 }]
      : []),
    {
      why: "a power that may still change",
      vote: { vp_state: "pending" },
      rejected: { VOTES_INCOMPLETE: 1 },
      flag: 0,
    },
  ])("is kept: $why", async ({ vote, rejected, flag }) => {
    const { ballot, record } = await fetchOne({ privacy: "shutter" }, [vote, {}]);
    expect([ballot?.count, record.rejected]).toEqual([2, rejected]);
    const odd = VOTE_FLAGS.choiceUnreadable | VOTE_FLAGS.outsideWindow;
    expect((ballot?.flags[0] ?? 0) & odd).toBe(flag);
    const isFinal = ((ballot?.flags[0] ?? 0) & VOTE_FLAGS.final) !== 0;
    expect(isFinal).toBe(!("vp_state" in vote));
    expect(stage.facts().proposals[0]?.isShutter).toBe(true);
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
    const text = JSON.stringify({ data: { votes } }).replace('"vp":2', '"vp":1e309');
    stage
      .hub()
      .failWith(({ operation }) => (operation === "Votes" ? { kind: "body", body: text } : undefined));
    expect(await stage.fetch()).toMatchObject({ votes: 1, rejected: { POWER_INVALID: 1 } });
  });

  it("of a Starknet voter counts, in one spelling", async () => {
    const { ballot, record } = await fetchOne({}, [
      { voter: `0x0${"4A".repeat(31)}b` },
      { voter: `0x${"4a".repeat(31)}c` },
      { voter: `0x${"5a".repeat(32)}` },
    ]);
    expect([ballot?.count, record.rejected]).toEqual([3, {}]);
    const fetch = stage
      .warehouse()
      .beginSpaceFetch({ spaceId: "b", sourceId: "snapshot-hub", fetchedAtMs: 1 });
    expect(fetch.internVoter(`0x0${"4a".repeat(31)}c`)).toBeLessThanOrEqual(3);
  });

  it("on another proposal than was asked for is refused", async () => {
    const proposal = closedProposal("0x1");
    stage.cast(proposal, 1);
    stage.hub().failWith(({ operation }) => {
      const stray = { ...voteOn(proposal, 1), proposal: { id: "0x9" } };
      return operation === "Votes" ? { kind: "body", body: { data: { votes: [stray] } } } : undefined;
    });
    const record = await stage.fetch();
    expect(record).toMatchObject({ status: "complete", ballots: 0, rejected: { PROPOSAL_UNKNOWN: 1 } });
  });
});

describe("settings", () => {
  it("send the key in its header, and none where there is none", async () => {
    await stage.fetch({ apiKey: "good" });
    await stage.fetch();
    expect(new Set(stage.hub().arrived.map(({ key }) => key))).toEqual(new Set(["good", undefined]));
    expect((await stage.fetch({ apiKey: "bad" })).error?.message).toContain("refused the key");
  });

  it("fill a sink that remembers nothing, and tell a recorder what came", async () => {
    const { store } = stage.hub();
    const proposal = closedProposal("0x1");
    putWithVotes(store, proposal, [voteOn(proposal, 1, { reason: "long" }), voteOn(proposal, 2)]);
    const sink = memorySink();
    const kinds: string[] = [];
    const source = createSnapshotHubSource({
      http: stage.http(),
      url: stage.hub().url,
      pageSize: 1,
      nowMs: NOW_MS,
      isFull: false,
      record: ({ kind, spaceId }) => kinds.push(`${kind} ${spaceId}`),
    });
    await source.fetchSpace(dao(SPACE_ID), sink);
    expect([sink.spaces.length, sink.proposals.length, sink.ballots[0]?.count]).toEqual([1, 1, 2]);
    expect([...sink.voters.keys()]).toEqual([voter(1).toLowerCase(), voter(2).toLowerCase()]);
    expect(kinds).toEqual(["space", "proposal", "vote", "vote"].map((kind) => `${kind} ${SPACE_ID}`));
  });
});
