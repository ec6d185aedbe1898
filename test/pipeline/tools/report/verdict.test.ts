import { describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { verdict } from "../../../../pipeline/tools/report/verdict.ts";
import { reportData } from "./report-stage.ts";

const story = reportData(true).daos[0]!.full!.evidence!;
const said = (change: Partial<typeof story>) => htmlText(verdict({ ...story, ...change }, [3, 8]));

describe("the verdict on a DAO", () => {
  it.each([
    {
      why: "it surely votes",
      change: {},
      says: "It votes: at least two proposals of usual power ended in the last 120 days.",
    },
    {
      why: "it surely votes less, at a known cost",
      change: { presence: { low: 0.89, high: 0.89 }, absence: "Fewer than two proposals ended" },
      says: "Fewer than two proposals ended: that takes 11.0 % off each component.",
    },
    {
      why: "it may vote less, at most at that cost",
      change: { presence: { low: 0, high: 1 }, absence: "Its votes are not known" },
      says: "Its votes are not known: that takes up to 100.0 % off each component.",
    },
    {
      why: "the completeness of its data is not known",
      change: { completenessPct: undefined },
      says: "80.0 % of its score is known: it lies between 3.00 and 8.00.",
    },
    {
      why: "nothing is surely lost",
      change: { components: [] },
      says: "The data show nothing that it surely loses points on.",
    },
  ])("says that $why", ({ change, says }) => {
    expect(said(change)).toContain(says);
  });

  it("tells apart what costs the most points and what would raise the score most", () => {
    const [first, second, ...others] = story.components;
    const indicator = first!.indicators[0]!;
    const components = [
      // A point of the lower and heavier component counts for more.
      { ...first!, indicators: [{ ...indicator, asks: "one", cost: 1 }], gvsPerPoint: 0.9 },
      { ...second!, indicators: [{ ...indicator, asks: "two", cost: 1.2 }], gvsPerPoint: 0.1 },
      ...others.map((component) => ({ ...component, indicators: [] })),
    ];
    const gain = ((0.9 * 4.7) / 0.3) * ((5.7 / 4.7) ** 0.3 - 1);
    expect(said({ components })).toContain(
      `It surely loses most on “two”: 1.20 points of ${second!.name}; full marks on “one” would raise its score most, by about ${gain.toFixed(2)}.`,
    );
  });
});
