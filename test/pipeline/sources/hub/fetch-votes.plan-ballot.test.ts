import { describe, expect, it } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { planVotes } from "../../../../pipeline/sources/hub/fetch-votes.ts";
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
