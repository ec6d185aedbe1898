import { describe, expect, test } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { createFrameWindow, powerCast, selectFrame } from "../../../../pipeline/score/frame/frame.ts";
import { DAY, sampleProposal, T } from "../sample-facts.ts";

const powerOf = ({ scoresTotal }: Proposal): number | undefined => scoresTotal;
const unjudged = () => new Map<string, number>();
const proposals = [
  sampleProposal("old", { endDaysAgo: 730, scoresTotal: 100 }),
  sampleProposal("edge", { endDaysAgo: 729.99, scoresTotal: 100 }),
  sampleProposal("junk", { endDaysAgo: 10, scoresTotal: 1 }),
  sampleProposal("flagged", { endDaysAgo: 9, scoresTotal: 100, isFlagged: true }),
  sampleProposal("unknown", { endDaysAgo: 8 }),
  sampleProposal("open", { endDaysAgo: -1, scoresTotal: 100 }),
];

test("every proposal is in the frame or excluded for a reason", () => {
  const { members, excluded, eligibleCount } = selectFrame(proposals, powerOf, unjudged, T);
  expect(
    members.map(({ proposal, attention, scale }) => [proposal.proposalId, attention, scale]),
  ).toStrictEqual([
    ["edge", 1, 100],
    ["unknown", 1, 100],
  ]);
  expect(Object.fromEntries(excluded)).toStrictEqual({
    old: "TOO_OLD",
    flagged: "FLAGGED",
    open: "NOT_ENDED",
    junk: "IGNORED",
  });
  expect(eligibleCount).toBe(3);
});

const endAt = (atMs: number, precision: "second" | "day" = "second") => ({ end: { atMs, precision } });
test.each<[why: string, changes: Partial<Proposal>, reason: string | undefined]>([
  ["closed and final", {}, undefined],
  ["boundary: ends at t", endAt(T), undefined],
  ["boundary: a millisecond later", endAt(T + 1), "NOT_ENDED"],
  ["a day counts to its end", endAt(T, "day"), undefined],
  ["unknown: no end", { end: undefined }, "END_UNKNOWN"],
  ["an archive has no scores_state", { scoresState: undefined }, undefined],
  ["a source without states", { state: undefined }, undefined],
  ["scores still move", { scoresState: "pending" }, "NOT_FINAL"],
  ["scores are broken", { scoresState: "invalid" }, "NOT_FINAL"],
  ["stored as active", { state: "active" }, "STATE_OPEN"],
  ["stored as pending", { state: "pending" }, "STATE_OPEN"],
  ["a Governor's cancelled one", { state: "cancelled" }, "CANCELLED"],
  ["flagged", { isFlagged: true }, "FLAGGED"],
  ["deleted", { isDeleted: true }, "DELETED"],
])("eligible: %s", (_, changes, reason) => {
  const { members, excluded } = selectFrame([sampleProposal("p", changes)], powerOf, unjudged, T);
  expect([members.length, excluded.get("p")]).toStrictEqual([reason === undefined ? 1 : 0, reason]);
});

test("frames of consecutive moments, forwards and back, are those of each alone, and one object between turns", () => {
  const frameAt = createFrameWindow(proposals, powerOf, unjudged);
  for (const daysAgo of [1000, 731, 730, 729, 20, 10, 9.5, 8, 0, -1, -2, -800, 10])
    expect(frameAt(T - daysAgo * DAY)).toStrictEqual(
      selectFrame(proposals, powerOf, unjudged, T - daysAgo * DAY),
    );
  expect(frameAt(T - 7 * DAY)).toBe(frameAt(T - DAY));
});

type Known = number | undefined;
test.each<
  [why: string, scoresTotal: Known, votesCount: number, fetched: Known, isFetched: boolean, S: Known]
>([
  ["the total that the source declares", 7, 3, 5, true, 7],
  ["else the sum of the ballot", undefined, 3, 5, true, 5],
  ["nobody voted", undefined, 0, undefined, false, 0],
  ["unknown: no ballot", undefined, 3, undefined, false, undefined],
  ["unknown: a ballot without power", undefined, 0, undefined, true, undefined],
])("power cast: %s", (_, scoresTotal, votesCount, fetched, isFetched, S) => {
  expect(powerCast({ scoresTotal, votesCount }, fetched, isFetched)).toBe(S);
});

/** Recent proposals of so much power each. */
const cast = (powers: readonly Known[], strategiesKey?: string): Proposal[] =>
  powers.map((scoresTotal) => sampleProposal("p", { scoresTotal, strategiesKey }));
/** Their attention; that of proposals outside of the frame is 0. */
function attentions(all: readonly Proposal[]): number[] {
  const { members } = selectFrame(all, powerOf, unjudged, T);
  const attentionOf = new Map(members.map(({ proposal, attention }) => [proposal, attention]));
  return all.map((proposal) => attentionOf.get(proposal) ?? 0);
}

describe("attention of a proposal", () => {
  const large = Array<number>(3).fill(100);
  // The scale, a power-weighted median, is 100 in every row but where another is given.
  test.each<[why: string, powers: Known[], expected: number[]]>([
    ["low: below a quarter of the scale", [...large, 24.9], [1, 1, 1, 0]],
    ["boundary: exactly a quarter", [...large, 25], [1, 1, 1, 0]],
    ["between: (.625 − .25) / .75", [...large, 62.5], [1, 1, 1, 0.5]],
    ["high: far above counts once", [...large, 250], [1, 1, 1, 1]],
    [
      "a scale of 301, as 301 of 601 is more than half",
      [...large, 301],
      [...large.map(() => (100 / 301 - 0.25) / 0.75), 1],
    ],
    ["alone it is its own scale", [7], [1]],
    ["unknown: unknown power weighs 1", [100, undefined], [1, 1]],
    ["unknown: all unknown", [undefined, undefined], [1, 1]],
    ["nothing cast on one", [100, 0], [1, 0]],
    ["nothing cast anywhere: no attention, and no NaN", [0, 0, 0], [0, 0, 0]],
    ["no proposals", [], []],
  ])("%s", (_, powers, expected) => {
    expect(attentions(cast(powers))).toEqual(expected.map((value) => expect.closeTo(value, 12)));
  });

  test("proposals of other strategies have a scale of their own", () => {
    expect(attentions([...cast([1000, 1000]), ...cast([1, 1], "a"), ...cast([5e6, 5e6], "b")])).toStrictEqual(
      Array(6).fill(1),
    );
  });

  test("a heap of small proposals does not lower the scale of fifty", () => {
    const real = Array<number>(50).fill(100);
    const heap = Array<number>(5000).fill(20);
    expect(attentions(cast([...real, ...heap]))).toStrictEqual([...real.map(() => 1), ...heap.map(() => 0)]);
    expect(attentions(cast([...heap, ...real]))).toStrictEqual([...heap.map(() => 0), ...real.map(() => 1)]);
  });

  test.each([
    { why: "boundary: of the fifty largest, 19 × 100 outweigh 31 × 60", large: 19, scale: 100 },
    { why: "18 × 100 do not outweigh 32 × 60", large: 18, scale: 60 },
  ])("$why", ({ large, scale }) => {
    const found = attentions(cast([...Array<number>(large).fill(100), ...Array<number>(500).fill(60)]));
    expect(found.at(-1)).toBeCloseTo((60 / scale - 0.25) / 0.75, 12);
  });

  test("the scale is a median of power, not of proposals", () => {
    // Sum 100 + 9 × 10 = 190; ascending, the tens reach 90 < 95, so the scale is 100, and a tenth is nothing.
    expect(attentions(cast([100, ...Array<number>(9).fill(10)]))).toStrictEqual([1, ...Array(9).fill(0)]);
  });
});
