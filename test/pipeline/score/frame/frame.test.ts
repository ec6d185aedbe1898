import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { drawFrame, type Frame } from "../../../../pipeline/score/frame/frame.ts";
import { effectiveNumber } from "../../../../pipeline/score/method/statistics.ts";
import { sampleProposal, sampleVotes, T } from "../sample-facts.ts";

/** A frame of proposals that ended so many days ago, each with one vote of power 100 unless told otherwise. */
function frameOf(
  endDaysAgo: readonly number[],
  changes: (
    index: number,
  ) => Partial<Proposal> & { readonly isGone?: boolean; readonly power?: number } = () => ({}),
): Frame {
  const gone = new Set<string>();
  const powers = new Map<string, number>();
  const proposals = endDaysAgo.map((days, index) => {
    const { isGone, power = 100, ...rest } = changes(index);
    const id = `p${String(index).padStart(3, "0")}`;
    if (isGone) gone.add(id);
    powers.set(id, power);
    return sampleProposal(id, { endDaysAgo: days, ...rest });
  });
  proposals.sort((a, b) => (a.end?.atMs ?? 0) - (b.end?.atMs ?? 0) || (a.proposalId < b.proposalId ? -1 : 1));
  return drawFrame({
    asOfMs: T,
    proposals,
    votesOf: (id) => (gone.has(id) ? undefined : sampleVotes([{ voter: 0, power: powers.get(id) ?? 0 }], id)),
  });
}

const idsOf = (items: readonly { readonly proposal: Proposal }[]): string[] =>
  items.map(({ proposal }) => proposal.proposalId);
const reasonOf = (frame: Frame, id: string): string | undefined =>
  frame.excluded.find(({ proposalId }) => proposalId === id)?.reason;
const many = (count: number, days: number): number[] => Array<number>(count).fill(days);

/** One proposal whose ballot holds these votes, and another that anybody can judge. */
function frameWith(votes: Parameters<typeof sampleVotes>[0]): Frame {
  const proposals = [sampleProposal("plain", { endDaysAgo: 9 }), sampleProposal("odd", { endDaysAgo: 8 })];
  const plain = sampleVotes([{ voter: 0, power: 100 }], "plain");
  const odd = sampleVotes(votes, "odd");
  return drawFrame({ asOfMs: T, proposals, votesOf: (id) => (id === "odd" ? odd : plain) });
}

describe("a ballot of which no vote counts", () => {
  const sealed = { voter: 0, power: 100, flags: VOTE_FLAGS.choiceUnreadable };
  test.each([
    {
      why: "all are sealed: missing, and no proposal that nobody voted on",
      votes: [sealed],
      place: "BALLOT_MISSING",
    },
    { why: "all are late", votes: [{ ...sealed, flags: VOTE_FLAGS.outsideWindow }], place: "BALLOT_MISSING" },
    { why: "one of them can be read", votes: [sealed, { voter: 1, power: 1 }], place: undefined },
  ])("$why", ({ votes, place }) => {
    const frame = frameWith(votes);
    expect(reasonOf(frame, "odd")).toBe(place);
    expect(idsOf(frame.members)).toStrictEqual(place === undefined ? ["plain", "odd"] : ["plain"]);
    expect(idsOf(frame.missing)).toStrictEqual(place === undefined ? [] : ["odd"]);
  });
});

describe("members", () => {
  test.each([
    { why: "low: nothing", days: [], count: 0 },
    { why: "all of the window, however many", days: many(60, 3), count: 60 },
    {
      why: "boundary: t − 180 days is outside, where the frame is full",
      days: [...many(20, 3), 180],
      count: 20,
    },
    { why: "boundary: a moment later is inside", days: [...many(20, 3), 179.99999], count: 21 },
    { why: "older ones are added while Σω < 20", days: [...many(19, 3), 200, 201], count: 20 },
    { why: "boundary: t − 730 days is beyond", days: [3, 729.9999, 730], count: 2 },
    { why: "none in the window: the last of two years", days: [181, 400, 729], count: 3 },
  ])("$why", ({ days, count }) => {
    expect(frameOf(days).members).toHaveLength(count);
  });

  test("older ones come latest first, by (end, id) where ends are equal", () => {
    const frame = frameOf([...many(19, 3), 200, 200, 200]);
    expect(idsOf(frame.members).slice(0, 2)).toStrictEqual(["p021", "p000"]);
    expect(reasonOf(frame, "p020")).toBe("FRAME_FULL");
  });

  test("attention counts, not proposals: half-attended ones fill half", () => {
    // ω = (62.5/100 − .25)/.75 = ½ for the odd ones.
    const frame = frameOf([...many(20, 3), ...many(20, 200)], (index) =>
      index % 2 === 0 ? {} : { power: 62.5 },
    );
    expect(frame.attentionSum).toBeCloseTo(20, 9);
    // 10 + 5 in the window; the older ones bring 5 more in pairs of 1½.
    expect(frame.members).toHaveLength(20 + 7);
    expect(effectiveNumber(frame.members.map(({ attention }) => attention))).toBeCloseTo(
      (20 * 20) / (13 + 14 / 4),
      0,
    );
  });

  test("every proposal is a member or excluded with a reason, never both", () => {
    const frame = frameOf(
      [3, 3, 3, 200, 800, -1, 5, 6],
      (index) =>
        [
          {},
          { power: 10 },
          { isGone: true, votesCount: 5 },
          { isFlagged: true },
          {},
          {},
          { isGone: true, votesCount: 0 },
          { end: undefined },
        ][index] ?? {},
    );
    expect(idsOf(frame.members)).toStrictEqual(["p000"]);
    expect(
      Object.fromEntries(frame.excluded.map(({ proposalId, reason }) => [proposalId, reason])),
    ).toStrictEqual({
      p001: "IGNORED",
      p002: "BALLOT_MISSING",
      p003: "FLAGGED",
      p004: "TOO_OLD",
      p005: "NOT_ENDED",
      p006: "IGNORED",
      p007: "END_UNKNOWN",
    });
  });
});

describe("missing ballots", () => {
  test.each([
    { why: "votes are declared", changes: { votesCount: 5 }, reason: "BALLOT_MISSING" },
    { why: "power is declared, the count unknown", changes: { scoresTotal: 100 }, reason: "BALLOT_MISSING" },
    { why: "nobody voted, power unknown", changes: { votesCount: 0, scoresTotal: 100 }, reason: "NO_VOTES" },
    { why: "gap: neither is known", changes: {}, reason: "NO_VOTES" },
  ])("$why", ({ changes, reason }) => {
    const frame = frameOf([3, 4], (index) => (index === 0 ? {} : { isGone: true, ...changes }));
    expect(reasonOf(frame, "p001")).toBe(reason);
    expect(frame.missing).toHaveLength(reason === "BALLOT_MISSING" ? 1 : 0);
    expect(frame.members).toHaveLength(1);
  });

  test.each([
    { why: "a full frame misses nothing older than its oldest", count: 20, days: 300, missing: 0 },
    { why: "and misses what is not older", count: 20, days: 100, missing: 1 },
    { why: "one that is not full misses all of two years", count: 19, days: 700, missing: 1 },
  ])("$why", ({ count, days, missing }) => {
    const frame = frameOf([...many(count, 150), days], (index) =>
      index < count ? {} : { isGone: true, votesCount: 5, scoresTotal: 100 },
    );
    expect(frame.missing).toHaveLength(missing);
    expect(reasonOf(frame, `p0${count}`)).toBe(missing === 1 ? "BALLOT_MISSING" : "FRAME_FULL");
  });
});

test("eligible in all time: the old ones all, the last two years' only with attention", () => {
  const frame = frameOf([...many(5, 3), ...many(4, 900), 4, 4], (index) => (index > 8 ? { power: 1 } : {}));
  expect(frame.eligibleCount).toBe(9);
});

test("the source's own total is the power cast, before the ballot's sum", () => {
  const frame = frameOf([3, 4], (index) => ({ power: 1, scoresTotal: index === 0 ? 100 : 10 }));
  expect(idsOf(frame.members)).toStrictEqual(["p000"]);
});
