import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { delegateSection } from "../../../../pipeline/tools/report/delegate-section.ts";
import { verdict } from "../../../../pipeline/tools/report/evidence-section.ts";
import type { DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { publishedSet } from "../../../support/published-set.ts";
import { makeStudio, reportData } from "./report-stage.ts";

const story = reportData(true).daos[0]!.full!.evidence!;
const said = (change: Partial<typeof story>) => htmlText(verdict({ ...story, ...change }, [3, 8]));

describe("the verdict on a DAO", () => {
  it.each([
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
    {
      why: "what is surely lost would be printed as nothing",
      change: { components: story.components.map((component) => ({ ...component, gvsPerPoint: 0.001 })) },
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

const graph = withGraph(publishedSet()).graphs[0]!;
const studio = await makeStudio();

function sectionOf(shown: DelegationGraph | undefined): string {
  const orchard = reportData(true).daos.find(({ dao }) => dao.space_id === "orchard")!;
  const section = delegateSection({ ...orchard, full: { ...orchard.full!, graph: shown } }, studio)!;
  const { document } = new JSDOM(htmlText(section.body)).window;
  const part = [...document.querySelectorAll("details")].find(
    (details) => details.querySelector("summary")?.textContent === "Who delegates to whom",
  );
  return part?.outerHTML ?? "";
}

const cells = (text: string): string[][] =>
  [...new JSDOM(text).window.document.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) => cell.textContent ?? ""),
  );

describe("the delegation graph", () => {
  it("has every delegation in its table: named, folded, and with unknown votes", () => {
    const rows = cells(sectionOf(graph));
    expect(rows).toHaveLength(graph.delegations.length + graph.folded_delegations.length);
    expect(rows[0]).toEqual(["0x0000…0003", "itself", "1,666", "8.33 %"]);
    expect(rows.at(-1)).toEqual(["2 more", "0x0000…0004", "not known", "not known"]);
  });

  it("is a picture with a name and a text of its own in either width", () => {
    const { document } = new JSDOM(sectionOf(graph)).window;
    const pictures = [...document.querySelectorAll("svg")];
    expect(pictures).toHaveLength(2);
    for (const picture of pictures) {
      expect(picture.querySelector("title")?.textContent).toBe("Who delegates to whom in Orchard");
      expect(picture.querySelector("desc")?.textContent).toContain(
        "14 delegators on the left, 4 delegates on the right.",
      );
    }
  });

  it.each([
    { why: "all", traced: graph.totals.votes, says: "the delegators of all power are known" },
    { why: "none", traced: "0", says: "the delegators of the power are unknown" },
    {
      why: "some",
      traced: graph.totals.traced_votes,
      says: "the delegators of 75.0 % of the power are known",
    },
    {
      why: "nearly all, which is not all",
      traced: String(BigInt(graph.totals.votes) - 1n),
      says: "the delegators of 99.9 % of the power are known",
    },
  ])("says how far power can be followed: $why", ({ traced, says }) => {
    const totals = { ...graph.totals, traced_votes: traced };
    expect(sectionOf({ ...graph, totals })).toContain(says);
  });

  it("cuts a long name where there is no room, between characters", () => {
    const name = "🦉".repeat(40);
    const delegates = graph.delegates.map((row) => ({ ...row, ens: name, display_name: name }));
    const { document } = new JSDOM(sectionOf({ ...graph, delegates })).window;
    const shown = [...document.querySelectorAll("svg")].map(
      (svg) =>
        [...svg.querySelectorAll("text")].find((element) => element.textContent?.includes("🦉"))?.textContent,
    );
    expect(shown).toEqual([`${"🦉".repeat(21)}… 25.0 %`, `${"🦉".repeat(15)}…`]);
  });

  it.each([
    { why: "only a list is known", shown: undefined },
    { why: "nobody has power", shown: { ...graph, delegates: [], delegations: [], folded_delegations: [] } },
  ])("is not there where $why", ({ shown }) => {
    expect(sectionOf(shown)).toBe("");
  });
});
