import { JSDOM } from "jsdom";
import { beforeAll, describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import type { Studio } from "../../../../pipeline/tools/report/charts.ts";
import { delegateSection } from "../../../../pipeline/tools/report/delegate-section.ts";
import type { DelegationGraph } from "../../../../snapshots/format/delegates.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { publishedSet } from "../../../support/published-set.ts";
import { makeStudio, reportData } from "./report-stage.ts";

const graph = withGraph(publishedSet()).graphs[0]!;
let studio: Studio;
beforeAll(async () => {
  studio = await makeStudio();
});

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
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const picture of pictures) {
      expect(picture.querySelector("title")?.textContent).toBe("Who delegates to whom in Orchard");
      expect(picture.querySelector("desc")?.textContent).toContain(
        "14 delegators on the left, 4 delegates on the right.",
      );
    }
    expect([...document.querySelectorAll("[style], style, script")]).toEqual([]);
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

  it("escapes what a name says", () => {
    const name = '<img src="x">';
    const delegates = graph.delegates.map((row) => ({ ...row, ens: name, display_name: name }));
    expect(sectionOf({ ...graph, delegates })).not.toContain("<img");
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
