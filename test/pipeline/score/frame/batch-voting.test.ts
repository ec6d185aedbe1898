import { expect, test } from "vitest";
import { createBatchCounter } from "../../../../pipeline/score/frame/batch-voting.ts";
import { DAY, type SampleVote, sampleMember, T } from "../sample-facts.ts";

/** Two proposals of seven days that both were open in the last six; the second one ended last. */
const first = (votes: SampleVote[], changes = {}) =>
  sampleMember(votes, { id: "a", endDaysAgo: 1, ...changes });
const second = (votes: SampleVote[]) => sampleMember(votes, { id: "b", endDaysAgo: 0 });
const at = (voter: number, seconds: number): SampleVote => ({
  voter,
  atMs: T - 3 * DAY + 999 - (T % 1000) + seconds * 1000,
});

test.each([
  { why: "nobody voted on both", a: [at(0, 0)], b: [at(1, 0)], counts: [1, 0] },
  { why: "high: within the same second", a: [at(0, 0)], b: [at(0, 0)], counts: [1, 1] },
  { why: "boundary: sixty seconds later", a: [at(0, 0)], b: [at(0, 60)], counts: [1, 1] },
  { why: "boundary: sixty seconds earlier", a: [at(0, 60)], b: [at(0, 0)], counts: [1, 1] },
  { why: "low: sixty-one seconds", a: [at(0, 0)], b: [at(0, 61)], counts: [1, 0] },
  { why: "gap: a vote without a time takes no part", a: [at(0, 0)], b: [{ voter: 0 }], counts: [0, 0] },
  { why: "gap: its other vote has no time", a: [{ voter: 0 }], b: [at(0, 0)], counts: [1, 0] },
  { why: "cast after the other had closed", a: [at(0, 0)], b: [at(0, 2.5 * 86_400)], counts: [0, 0] },
])("$why", ({ a, b, counts }) => {
  const found = createBatchCounter().count(second(b), [first(a)]);
  expect([found.overlappingCount, found.batchCount]).toStrictEqual(counts);
});

test("only earlier ones count, and there may be none", () => {
  expect(createBatchCounter().count(second([at(0, 0)]), [])).toStrictEqual({
    overlappingCount: 0,
    batchCount: 0,
  });
});

test("a proposal whose start is unknown was never known to be open", () => {
  const found = createBatchCounter().count(second([at(0, 0)]), [first([at(0, 0)], { start: undefined })]);
  expect(found.overlappingCount).toBe(0);
});

test("remembers nothing that hangs on which proposals came before", () => {
  const counter = createBatchCounter();
  const b = second([at(0, 0)]);
  const a = first([at(0, 0)]);
  expect(counter.count(b, [a]).batchCount).toBe(1);
  expect(counter.count(b, []).batchCount).toBe(0);
  expect(counter.count(b, [first([at(1, 0)], { id: "other" })]).batchCount).toBe(0);
  expect(counter.count(b, [a]).batchCount).toBe(1);
});
