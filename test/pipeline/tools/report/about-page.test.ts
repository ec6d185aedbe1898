import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { aboutPage } from "../../../../pipeline/tools/report/about-page.ts";
import { renderPage } from "../../../../pipeline/tools/report/page.ts";
import type { ReportData } from "../../../../pipeline/tools/report/report-data.ts";
import { reportData } from "./report-stage.ts";

const DATA = reportData(false);

/** The sections of the page by id, each as its text. */
function sectionsOf(change: Partial<ReportData>): Record<string, string> {
  const data = { ...DATA, ...change };
  const page = new JSDOM(renderPage(data, aboutPage(data))).window.document;
  return Object.fromEntries(
    [...page.querySelectorAll("section")].map((section) => [
      section.getAttribute("aria-labelledby") ?? "",
      (section.textContent ?? "").replaceAll(/\s+/g, " "),
    ]),
  );
}
/** The first DAO with this interval, the only one with an interval. */
const withInterval = (gvs: readonly [number, number]): Partial<ReportData> => ({
  daos: DATA.daos.map((report, index) => {
    const { interval, ...others } = report;
    return { ...others, interval: index === 0 && interval ? { ...interval, gvs: [...gvs] } : undefined };
  }),
});

describe("the example", () => {
  it("is of this version: its day, its number, its interval, its ranks", () => {
    expect(sectionsOf({})["example"]).toContain(
      "On 2026-03-31, the score of Tidewater lay between 6.90 and 7.60 of 10, whatever the missing data would show, with 7.25 as the best guess. Of 3 DAOs with a score it could have any of the ranks 1–2.",
    );
  });

  it.each([
    {
      why: "a score that is wholly known",
      change: withInterval([7.25, 7.25]),
      want: "was 7.25 of 10, and nothing that is not known could change it",
    },
    {
      why: "an invented world",
      change: { imprint: { invented: true as const } },
      want: "the score of the invented DAO Tidewater",
    },
    { why: "no DAO with a score", change: { daos: [] }, want: "No DAO had a score on 2026-03-31" },
    {
      why: "no interval at all, about which nothing is said",
      change: { daos: DATA.daos.map((report) => ({ ...report, interval: undefined })) },
      want: "the score of Tidewater was 7.25 of 10. Of 3 DAOs",
    },
  ])("suits $why", ({ change, want }) => {
    expect(sectionsOf(change)["example"]).toContain(want);
  });

  it("is of the DAO with the narrowest interval, not of the first", () => {
    const [first, second, ...others] = DATA.daos;
    const interval = { ...first!.interval!, gvs: [first!.dao.gvs, first!.dao.gvs] as [number, number] };
    const daos = [first!, { ...second!, interval }, ...others];
    expect(sectionsOf({ daos })["example"]).toContain(`the score of ${second!.dao.name} was`);
  });
});

describe("the sentences that may be quoted", () => {
  it("are three, each with its method, and two with their day", () => {
    const quotes = sectionsOf({})["quote"];
    expect(quotes).toContain(
      "On 2026-03-31, 3 of 4 tracked DAOs had a governance score; for the others the known votes did not allow one (govdata, method 1.0.0).",
    );
    expect(quotes).toContain(
      "On 2026-03-31, the governance score of Tidewater lay between 6.90 and 7.60 of 10, whatever the missing data would show, with 7.25 as the best guess (govdata, method 1.0.0).",
    );
    expect(quotes).toContain("not whether its decisions are good (govdata, method 1.0.0).");
  });

  it("say nothing of others where every DAO has a score", () => {
    expect(sectionsOf({ unscored: [] })["quote"]).toContain(
      "3 of 3 tracked DAOs had a governance score (govdata",
    );
  });
});

describe("corrections", () => {
  const correction = { date: "2026-04-02", wrong: "Votes <b>twice</b>.", changed: "Once." };
  it.each([
    { why: "none is recorded", list: [], want: "No correction is recorded." },
    {
      why: "the latest first, escaped, with the versions",
      list: [correction, { ...correction, date: "2026-04-03", versions: ["20260401T010000Z-9dab89c3"] }],
      want: "2026-04-03Votes <b>twice</b>.Once. In 20260401T010000Z-9dab89c3 2026-04-02Votes <b>twice</b>.Once.",
    },
  ])("are listed: $why", ({ list, want }) => {
    expect(sectionsOf({ corrections: list })["corrections"]).toContain(want);
  });
});

describe("who publishes", () => {
  it("is not made up", () => {
    expect(sectionsOf({})["publisher"]).toContain(
      "These files do not name a publisher. No licence is named. No address is named for errors and opting out.",
    );
  });

  it("is said, with whom to write to", () => {
    const imprint: ReportData["imprint"] = {
      contributors: [{ title: "Us", role: "publisher", email: "errors@us.example" }],
      licenses: [{ title: "Our terms", path: "https://us.example/terms" }],
    };
    expect(sectionsOf({ imprint })["publisher"]).toContain(
      "Us publishes these numbers. The licence of the numbers is Our terms. Report an error, or opt out: an organisation that asks is no longer named.",
    );
  });
});
