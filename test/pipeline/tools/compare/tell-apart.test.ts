import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import type { Mark } from "../../../../pipeline/score/method/marks.ts";
import { type ComparedDao, tellApart, unknownsOf } from "../../../../pipeline/tools/compare/tell-apart.ts";
import { anyMarks, everywhere, evidenceOf, type Marks } from "./random-evidence.ts";

const TOO_LITTLE = { code: "TOO_LITTLE_KNOWN", message: "Too little is known." };
const NOTHING = { code: "NO_PROPOSALS", message: "Nothing ended." };

const dao = (spaceId: string, marks: Marks, more: Partial<ComparedDao> = {}): ComparedDao => ({
  name: spaceId.toUpperCase(),
  evidence: evidenceOf(spaceId, marks),
  unscored: undefined,
  ...more,
});

/** Every indicator of one mark, but for one. */
const but = (id: string, other: Mark | undefined, mark: Mark): Marks =>
  INDICATORS.map((indicator) => (indicator.id === id ? other : mark));

const high = dao("a", everywhere([0.8, 0.9]));
const low = dao("b", everywhere([0.2, 0.3]));

describe("two DAOs", () => {
  it.each([
    {
      why: "intervals that do not touch",
      a: high,
      b: low,
      verdict: "ahead",
      says: "A is ahead of B, and the difference is larger than its uncertainty: 6.02 points, between 5.00 and 7.00.",
    },
    {
      why: "the same the other way round",
      a: low,
      b: high,
      verdict: "behind",
      says: "A is ahead of B, and the difference is larger than its uncertainty: 6.02 points, between 5.00 and 7.00.",
    },
    {
      why: "intervals that touch in one point: either could be as high as the other",
      a: dao("a", everywhere([0.5, 0.6])),
      b: dao("b", everywhere([0.4, 0.5])),
      verdict: "unclear",
      says: "A and B cannot be told apart: their intervals overlap, 5.00 to 6.00 and 4.00 to 5.00.",
    },
    {
      why: "one indicator of which nothing is known",
      a: dao("a", but("breadth", undefined, [0.6, 0.6])),
      b: dao("b", everywhere([0.5, 0.5])),
      verdict: "unclear",
      says: "The largest unknowns: breadth of A (1.63 points, not known at all)",
    },
    {
      why: "an indicator that rests on few proposals",
      a: dao("a", [], { evidence: evidenceOf("a", everywhere([0.4, 0.8]), { weight: 2 }) }),
      b: dao("b", everywhere([0.5, 0.5])),
      verdict: "unclear",
      says: "known on few proposals",
    },
    {
      why: "wallets that vote alike",
      a: dao("a", but("top", [0.2, 0.9], [0.5, 0.5])),
      b: dao("b", everywhere([0.5, 0.5])),
      verdict: "unclear",
      says: "top of A (0.69 points, as wallets that vote alike may be one)",
    },
    {
      why: "a fact of the whole DAO that is known in part, which no number of proposals makes surer",
      a: dao("a", [], {
        evidence: evidenceOf("a", but("guardrails", [0.3, 0.9], [0.5, 0.5]), { weight: 1 }),
      }),
      b: dao("b", everywhere([0.5, 0.5])),
      verdict: "unclear",
      says: "guardrails of A (0.29 points, known in part)",
    },
    {
      why: "nobody has looked for a while",
      a: dao("a", [], { evidence: evidenceOf("a", everywhere([0.5, 0.5]), { presence: [0.2, 1] }) }),
      b: dao("b", everywhere([0.3, 0.3])),
      verdict: "unclear",
      says: "Votes of A are known until 2026-04-01, so how much it has voted since is not fully known.",
    },
    {
      why: "no score, but an interval that says enough",
      a: dao("a", everywhere([0.6, 1]), { unscored: TOO_LITTLE }),
      b: low,
      verdict: "ahead",
      says: "it is between 3.00 and 8.00. A has no score: Too little is known.",
    },
    {
      why: "no proposal counts, so that the interval says nothing",
      a: dao("a", everywhere([0, 0]), { unscored: NOTHING }),
      b: low,
      verdict: "incomparable",
      says: "A and B cannot be compared. A has no score: Nothing ended.",
    },
    {
      why: "two of one name",
      a: { ...high, name: "Same" },
      b: { ...low, name: "Same" },
      verdict: "ahead",
      says: "a is ahead of b",
    },
  ])("$why: $verdict", ({ a, b, verdict, says }) => {
    const told = tellApart(a, b);
    expect(told.verdict).toBe(verdict);
    expect(told.sentence).toContain(says);
    expect(told.gvs.point === undefined).toBe(a.unscored !== undefined || b.unscored !== undefined);
    expect(told.unknowns.length > 0).toBe(told.verdict === "unclear" && says !== "");
  });

  it("are the same both ways round, with the sign turned", () => {
    const turned = {
      ahead: "behind",
      behind: "ahead",
      unclear: "unclear",
      incomparable: "incomparable",
    } as const;
    fc.assert(
      fc.property(anyMarks, anyMarks, (marks, others) => {
        const [a, b] = [dao("a", marks), dao("b", others)];
        const [forward, back] = [tellApart(a, b), tellApart(b, a)];
        expect(back.verdict).toBe(turned[forward.verdict]);
        expect(back.unknowns).toEqual(forward.unknowns);
        expect(forward.gvs.low + back.gvs.high).toBe(0);
        expect(forward.gvs.high + back.gvs.low).toBe(0);
        expect((forward.gvs.point ?? 0) + (back.gvs.point ?? 0)).toBe(0);
        expect(forward.gvs.low <= (forward.gvs.point ?? 0)).toBe(true);
      }),
    );
  });

  it("cannot be told apart where they are one", () => {
    fc.assert(
      fc.property(anyMarks, (marks) => {
        const { verdict, gvs } = tellApart(dao("a", marks), dao("a", marks));
        expect(verdict).toBe("unclear");
        expect(gvs.point).toBe(0);
        expect(gvs.low + gvs.high).toBe(0);
      }),
    );
  });

  it("are told apart less, never more, where more of one is unknown", () => {
    fc.assert(
      fc.property(anyMarks, anyMarks, fc.nat(INDICATORS.length - 1), (marks, others, index) => {
        const [known, b] = [dao("a", marks), dao("b", others)];
        const less = dao("a", marks.with(index, undefined));
        const [sure, unsure] = [tellApart(known, b).gvs, tellApart(less, b).gvs];
        expect(unsure.low).toBeLessThanOrEqual(sure.low);
        expect(unsure.high).toBeGreaterThanOrEqual(sure.high);
      }),
    );
  });

  it("name as much unknown as the interval is wide, whatever makes it unclear", () => {
    const anyPresence = fc.tuple(fc.double({ min: 0.01, max: 0.5, noNaN: true }), fc.constantFrom(0.5, 1));
    fc.assert(
      fc.property(anyMarks, anyPresence, (marks, presence) => {
        const evidence = evidenceOf("a", marks, { presence });
        const sum = unknownsOf(evidence).reduce((all, { points }) => all + points, 0);
        expect(sum).toBeCloseTo(evidence.gvs.high - evidence.gvs.low, 9);
      }),
    );
  });
});
