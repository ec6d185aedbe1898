import { expect, test } from "vitest";
import { createMemberMemory, type InFrame } from "../../../pipeline/score/measure-dao.ts";
import type { MemberMeasures } from "../../../pipeline/score/method/measures.ts";
import { sampleMember } from "./sample-facts.ts";

const member = sampleMember([{ voter: 0 }, { voter: 1 }]);
const evenly = { effectiveVoters: 2, nakamoto: 2, topShare: 0.5, whaleShare: 1 };
const before: InFrame = {
  heads: 2,
  unclusteredHeads: 2,
  concentration: evenly,
  batch: { overlappingCount: 1, batchCount: 0 },
};

test("what is measured as before is the same object", () => {
  const memory = createMemberMemory();
  expect(memory.measure(member, { ...before })).toBe(memory.measure(member, { ...before }));
});

test.each<{
  why: string;
  changes: Partial<InFrame>;
  attention?: number;
  expected: Partial<MemberMeasures>;
}>([
  { why: "other attention", changes: {}, attention: 0.5, expected: { attention: 0.5 } },
  { why: "fewer people", changes: { heads: 1 }, expected: { heads: 1 } },
  { why: "fewer wallets", changes: { unclusteredHeads: 1 }, expected: { unclusteredHeads: 1 } },
  {
    why: "power not known any more",
    changes: { concentration: undefined },
    expected: { concentration: undefined },
  },
  {
    why: "another vote in time with one on an earlier proposal",
    changes: { batch: { overlappingCount: 1, batchCount: 1 } },
    expected: { batchVotes: 1 },
  },
  {
    why: "another earlier proposal was open",
    changes: { batch: { overlappingCount: 2, batchCount: 0 } },
    expected: { overlappingVotes: 2 },
  },
])("$why is measured anew", ({ changes, attention = 1, expected }) => {
  const memory = createMemberMemory();
  const first = memory.measure(member, before);
  const second = memory.measure({ ...member, attention }, { ...before, ...changes });
  expect(second).toStrictEqual({ ...first, ...expected });
  expect(second).not.toStrictEqual(first);
});
