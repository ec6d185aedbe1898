import { describe, expect, it } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { createTextKeeper } from "../../../../pipeline/sources/hub/fetch-proposals.ts";
import { planVotes } from "../../../../pipeline/sources/hub/fetch-votes.ts";
import { listFromS, writeNote } from "../../../../pipeline/sources/hub/hub-source.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { proposal } from "../../warehouse/sample-facts.ts";

const nowMs = 100 * DAY_MS;
const closed = (change: Partial<Proposal> = {}) =>
  proposal("1", {
    state: "closed",
    scoresState: "final",
    start: { atMs: 0, precision: "second" },
    end: { atMs: 90 * DAY_MS, precision: "second" },
    votesCount: 5,
    scoresTotal: 7,
    votingType: "basic",
    choicesCount: 3,
    revision: "1",
    ...change,
  });
const endedAgo = (days: number) => ({ end: { atMs: nowMs - days * DAY_MS, precision: "second" as const } });
const whole = { votes: 5, isFinal: true };
const part = { votes: 4, isFinal: false };

describe("planVotes", () => {
  it.each([
    { why: "over and final", now: closed(), plan: "fetch" },
    { why: "no votes, which needs no asking", now: closed({ votesCount: 0 }), plan: "none" },
    { why: "a count that is not known", now: closed({ votesCount: undefined }), plan: "fetch" },
    { why: "scores pending", now: closed({ scoresState: "pending" }), plan: "none" },
    { why: "scores invalid", now: closed({ scoresState: "invalid" }), plan: "none" },
    { why: "scores unknown", now: closed({ scoresState: undefined }), plan: "none" },
    { why: "active", now: closed({ state: "active" }), plan: "none" },
    { why: "ends this moment", now: closed(endedAgo(0)), plan: "fetch" },
    { why: "said to be closed before its end", now: closed(endedAgo(-1)), plan: "none" },
    { why: "no end", now: closed({ end: undefined }), plan: "none" },
    { why: "deleted", now: closed({ isDeleted: true }), plan: "none" },
    { why: "flagged: it may be cleared again", now: closed({ isFlagged: true }), plan: "fetch" },
  ])("$why, nothing held: $plan", ({ now, plan }) => {
    expect(planVotes(now, undefined, { nowMs, isFull: false })).toBe(plan);
    expect(planVotes(now, { proposal: now, ballot: undefined }, { nowMs, isFull: false })).toBe(plan);
  });

  it.each([
    { why: "all of it", change: {}, ballot: whole, plan: "keep" },
    { why: "another title", change: { title: "new" }, ballot: whole, plan: "keep" },
    { why: "flagged later", change: { isFlagged: true }, ballot: whole, plan: "keep" },
    { why: "deleted later", change: { isDeleted: true }, ballot: whole, plan: "keep" },
    { why: "counted again", change: { scoresState: "pending" as const }, ballot: whole, plan: "keep" },
    { why: "another count", change: { votesCount: 6 }, ballot: whole, plan: "fetch" },
    { why: "no votes any more", change: { votesCount: 0 }, ballot: whole, plan: "keep" },
    { why: "another total", change: { scoresTotal: 8 }, ballot: whole, plan: "fetch" },
    { why: "counted anew", change: { revision: "2" }, ballot: whole, plan: "fetch" },
    { why: "another end", change: endedAgo(11), ballot: whole, plan: "fetch" },
    { why: "another type", change: { votingType: "approval" as const }, ballot: whole, plan: "fetch" },
    { why: "another choice", change: { choicesCount: 4 }, ballot: whole, plan: "fetch" },
    { why: "a part", change: {}, ballot: part, plan: "fetch" },
  ])("held, and now $why: $plan", ({ change, ballot, plan }) => {
    const held = { proposal: closed(), ballot };
    expect(planVotes(closed(change), held, { nowMs, isFull: false })).toBe(plan);
  });

  it("takes a ballot of a program that knew no revisions for unchanged", () => {
    const held = { proposal: closed({ revision: undefined }), ballot: whole };
    expect(planVotes(closed(), held, { nowMs, isFull: false })).toBe("keep");
  });

  it.each([
    { days: 30, plan: "fetch" },
    { days: 31, plan: "keep" },
  ])("asks for the rest of a part until 30 days after the end: day $days, $plan", ({ days, plan }) => {
    const now = closed(endedAgo(days));
    expect(planVotes(now, { proposal: now, ballot: part }, { nowMs, isFull: false })).toBe(plan);
  });

  it("asks for everything again when it shall", () => {
    expect(planVotes(closed(), { proposal: closed(), ballot: whole }, { nowMs, isFull: true })).toBe("fetch");
  });
});

describe("listing note", () => {
  const DAY_S = 86_400;
  const nowS = 2_000 * DAY_S;
  const nowMs = nowS * 1000;
  const note = (fromS: number, daysAgo = 0) =>
    JSON.stringify({ fromS, atMs: nowMs - daysAgo * DAY_S * 1000 });
  const from = (change: Partial<Parameters<typeof listFromS>[0]>) =>
    listFromS({ note: undefined, sinceMs: undefined, isFull: false, nowMs, ...change });

  describe("the end from which proposals are listed", () => {
    it.each([
      { why: "all, the first time", given: {}, fromS: 0 },
      { why: "the frame, once all were listed", given: { note: note(0) }, fromS: nowS - 730 * DAY_S },
      {
        why: "the frame of the last time, where that was long ago",
        given: { note: note(0, 100) },
        fromS: nowS - 830 * DAY_S,
      },
      { why: "all again, when it shall", given: { note: note(0), isFull: true }, fromS: 0 },
      { why: "what is asked for", given: { sinceMs: 5_999 }, fromS: 5 },
      { why: "all, where only later ones were listed", given: { note: note(1) }, fromS: 0 },
      {
        why: "all since, where only later ones were listed",
        given: { note: note(9), sinceMs: 8_000 },
        fromS: 8,
      },
      {
        why: "the frame, where as many were listed",
        given: { note: note(8), sinceMs: 8_000 },
        fromS: nowS - 730 * DAY_S,
      },
      {
        why: "less than the frame, where less is asked for",
        given: { note: note(0), sinceMs: nowMs },
        fromS: nowS,
      },
      { why: "all, where the note is damaged", given: { note: "{" }, fromS: 0 },
      { why: "all, where the note is another's", given: { note: '{"fromS":"0"}' }, fromS: 0 },
      { why: "a clock that was set back", given: { note: note(0, -5) }, fromS: nowS - 730 * DAY_S },
      { why: "not before 1970", given: { sinceMs: -1 }, fromS: 0 },
    ])("$why", ({ given, fromS }) => {
      expect(from(given)).toBe(fromS);
    });

    it.each([
      { why: "the first", before: undefined, fromS: 7, next: { fromS: 7, daysAgo: 0 } },
      {
        why: "the frame after all",
        before: note(0, 5),
        fromS: nowS - 735 * DAY_S,
        next: { fromS: 0, daysAgo: 0 },
      },
      {
        why: "less than that",
        before: note(0, 5),
        fromS: nowS - 735 * DAY_S + 1,
        next: { fromS: 0, daysAgo: 5 },
      },
      { why: "further back than before", before: note(9, 5), fromS: 7, next: { fromS: 7, daysAgo: 0 } },
      { why: "as far back as before", before: note(9, 5), fromS: 9, next: { fromS: 9, daysAgo: 0 } },
      {
        why: "as far back as before, which is less than the frame",
        before: note(nowS - DAY_S, 5),
        fromS: nowS - DAY_S,
        next: { fromS: nowS - DAY_S, daysAgo: 0 },
      },
    ])("the note says how far back they are listed, and as of when: $why", ({ before, fromS, next }) => {
      expect(JSON.parse(writeNote(before, fromS, nowMs))).toEqual(JSON.parse(note(next.fromS, next.daysAgo)));
    });
  });
});

const links = (...texts: readonly (string | undefined)[]) => {
  const keep = createTextKeeper(10);
  return texts.map((discussion, n) => keep(proposal(`0x${n}`, { discussion })).discussion);
};

it.each([
  { why: "nothing", texts: [undefined, ""] },
  { why: "as many characters as may be", texts: ["12345", "67890"] },
  { why: "the same text as often as one likes", texts: ["1234567890", "1234567890", "1234567890"] },
])("keeps $why", ({ texts }) => {
  expect(links(...texts)).toEqual(texts);
});

it("counts strategies and links together, and refuses one character more", () => {
  expect(() => links("12345", "678901")).toThrow("more than 10 characters");
  const keep = createTextKeeper(10);
  keep(proposal("0x1", { strategiesKey: "12345", discussion: "678" }));
  expect(() => keep(proposal("0x2", { discussion: "abc" }))).toThrow(
    expect.objectContaining({ code: "SOURCE_FAILED" }),
  );
});
