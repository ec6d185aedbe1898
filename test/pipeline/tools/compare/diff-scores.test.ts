import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import type { Mark } from "../../../../pipeline/score/method/marks.ts";
import { scoreChanges } from "../../../../pipeline/tools/compare/diff-scores.ts";
import { anyMarks, everywhere, evidenceOf, type Marks } from "./random-evidence.ts";

const side = (marks: Marks, presence: Mark) => ({
  ...evidenceOf("a.example", marks, { presence }),
  unscored: null,
});

/** Marks as everywhere, but for breadth. */
const withBreadth = (mark: Mark): Marks =>
  INDICATORS.map(({ id }): Mark => (id === "breadth" ? mark : [0.4, 0.6]));

interface Row {
  readonly why: string;
  readonly before: readonly [Marks, Mark];
  readonly after: readonly [Marks, Mark];
  /** Points of participation by presence, by breadth and, where it is easily told, by unknown data. */
  readonly hpr: readonly [presence: number, breadth: number, notKnown?: number];
}

describe("the causes of a component's change", () => {
  it.each<Row>([
    {
      why: "presence alone, all marks known",
      before: [everywhere([0.5, 0.5]), [1, 1]],
      after: [everywhere([0.5, 0.5]), [0.72, 0.72]],
      hpr: [-1.4, 0, 0],
    },
    {
      why: "presence alone, with unknown marks: none of it is said to be caused by them",
      before: [everywhere([0.2, 0.8]), [1, 1]],
      after: [everywhere([0.2, 0.8]), [0, 0]],
      hpr: [1 - Math.sqrt(3 * 9), 0, 0],
    },
    {
      why: "presence begins",
      before: [everywhere([0.5, 0.5]), [0, 0]],
      after: [everywhere([0.5, 0.5]), [1, 1]],
      hpr: [5, 0, 0],
    },
    {
      why: "an indicator alone",
      before: [withBreadth([0.5, 0.5]), [0.5, 0.5]],
      after: [withBreadth([0.9, 0.9]), [0.5, 0.5]],
      hpr: [0, 1],
    },
    {
      why: "a rise of presence that hides the fall of an indicator",
      before: [everywhere([0.6, 0.6]), [0.5, 0.5]],
      after: [everywhere([0.3, 0.3]), [1, 1]],
      hpr: [2.25, -1.125, 0],
    },
    {
      why: "nothing",
      before: [everywhere([0.5, 0.7]), [1, 1]],
      after: [everywhere([0.5, 0.7]), [1, 1]],
      hpr: [0, 0, 0],
    },
  ])("$why", ({ before, after, hpr: [presence, breadth, notKnown] }) => {
    const change = scoreChanges(side(...before), side(...after));
    const [hpr] = change.components;
    expect(hpr?.presence).toBeCloseTo(presence, 9);
    expect(hpr?.indicators.find(({ id }) => id === "breadth")?.points ?? 0).toBeCloseTo(breadth, 9);
    if (notKnown !== undefined) expect(hpr?.notKnown).toBeCloseTo(notKnown, 9);
    expect(change.presence).toMatchObject({ before: before[1][0], after: after[1][0] });
  });

  const anySide = fc.tuple(anyMarks, fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(4)));
  const sideOf = ([marks, [low, wider]]: [Marks, [number, number]]) =>
    side(marks, [low, low + ((1 - low) * wider) / 4]);

  it("add up, and turn their signs when turned round", () => {
    fc.assert(
      fc.property(anySide, anySide, (one, other) => {
        const [before, after] = [sideOf(one), sideOf(other)];
        const [forward, back] = [scoreChanges(before, after), scoreChanges(after, before)];
        forward.components.forEach((component, index) => {
          const { presence, indicators, notKnown, unexplained } = component;
          const sum = indicators.reduce(
            (total, { points }) => total + points,
            presence + notKnown + unexplained,
          );
          expect(sum).toBeCloseTo((component.after ?? 0) - (component.before ?? 0), 9);
          expect(back.components[index]?.presence).toBeCloseTo(-presence, 9);
          expect(back.components[index]?.notKnown).toBeCloseTo(-notKnown, 9);
        });
        const points = forward.components.reduce((sum, { gvsPoints = Number.NaN }) => sum + gvsPoints, 0);
        expect(points).toBeCloseTo(after.gvs.point - before.gvs.point, 6);
        expect(back.presence.gvsPoints).toBeCloseTo(-(forward.presence.gvsPoints ?? Number.NaN), 6);
      }),
    );
  });

  it("are nothing but presence where no mark moved, in the gvs too", () => {
    fc.assert(
      fc.property(anySide, anySide, ([marks, one], [, other]) => {
        const [before, after] = [sideOf([marks, one]), sideOf([marks, other])];
        const { components, presence } = scoreChanges(before, after);
        for (const component of components) {
          expect(component.indicators).toEqual([]);
          expect(component.notKnown).toBeCloseTo(0, 9);
        }
        expect(presence.gvsPoints).toBeCloseTo(after.gvs.point - before.gvs.point, 6);
      }),
    );
  });

  it("keep what no proposal explains apart from what is not known", () => {
    const before = side(everywhere([0.5, 0.5]), [1, 1]);
    const { hpr } = before.components;
    const higher = { ...hpr, point: hpr.point + 1, unexplained: 1 };
    const after = { ...before, components: { ...before.components, hpr: higher } };
    const [change] = scoreChanges(before, after).components;
    expect(change).toMatchObject({ presence: 0, indicators: [], notKnown: 0, unexplained: 1 });
  });

  it("have no effect on the gvs of a DAO that has no score on one side", () => {
    const unscored = { ...side(everywhere([0.5, 0.5]), [1, 1]), unscored: "TOO_LITTLE_KNOWN" as const };
    const { components, presence } = scoreChanges(unscored, side(everywhere([0.5, 0.5]), [0.5, 0.5]));
    expect(presence.gvsPoints).toBeUndefined();
    expect(components.map(({ gvsPoints }) => gvsPoints)).toEqual(Array(4).fill(undefined));
    expect(components[0]?.presence).toBeCloseTo(-2.5, 9);
  });
});
