import { JSDOM } from "jsdom";
import { beforeAll, describe, expect, it } from "vitest";
import { reportData, reportFiles } from "./report-stage.ts";

let open: ReadonlyMap<string, string>;
let full: ReadonlyMap<string, string>;
beforeAll(async () => {
  open = await reportFiles(reportData(false));
  full = await reportFiles(reportData(true));
});

const HOSTILE = `</title><script>alert(1)</script>" onload='x' [y](javascript:z)`;
const parsed = new Map<string, Document>();
const pageOf = (files: ReadonlyMap<string, string>, path: string): Document => {
  const text = files.get(path) ?? "";
  const document = parsed.get(text) ?? new JSDOM(text).window.document;
  parsed.set(text, document);
  return document;
};
const words = (files: ReadonlyMap<string, string>, path: string) =>
  (pageOf(files, path).querySelector("main")?.textContent ?? "").replaceAll(/\s+/g, " ");

describe("a report", () => {
  it("is the same text every time, though one process draws it twice", async () => {
    const again = await reportFiles(reportData(true));
    expect([...again.keys()]).toEqual([...full.keys()]);
    for (const [path, text] of full) expect(again.get(path) === text, path).toBe(true);
  });

  it("has no style, script or address of its own, and a policy that would stop them", () => {
    for (const [path, text] of full) {
      if (!path.endsWith(".html")) continue;
      const document = pageOf(full, path);
      expect(document.querySelectorAll("style, script, iframe, [style], [onload]"), path).toHaveLength(0);
      const addresses = [...document.querySelectorAll("[src], link[href]")];
      expect(
        addresses.map((each) => each.getAttribute("href")?.replace("../", "")),
        path,
      ).toEqual(["report.css", "feed.xml"]);
      expect(text, path).toContain("default-src &#39;none&#39;");
      const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      expect(ids.length, path).toBe(new Set(ids).size);
    }
  });

  it("leads only to pages that it holds", () => {
    for (const [path] of full) {
      for (const link of pageOf(full, path).querySelectorAll("a[href]")) {
        const target = new URL(link.getAttribute("href") ?? "", `https://report.example/${path}`);
        if (target.host === "report.example" && path.endsWith(".html")) {
          expect([...full.keys()], path).toContain(decodeURIComponent(target.pathname.slice(1)));
        }
      }
    }
  });

  it("calls a proposal by its title, and leads to it and to the DAO's own pages", () => {
    const page = pageOf(full, "daos/tidewater.example.html");
    const rows = [...page.querySelectorAll("#proposals ~ .scroll tbody th")].map((cell) => cell.textContent);
    expect(rows.slice(0, 2)).toEqual(["Plant </a><b> reeds 0xfeedbeef01", "0xfeedbeef02"]);
    const links = [...page.querySelectorAll('a[rel="external nofollow noopener noreferrer"]')];
    expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["website", "https://tidewater.example/"],
      ["platform", "https://vote.example/#/s:tide"],
      ["Plant </a><b> reeds", "https://vote.example/#/proposal/1?a='"],
    ]);
  });

  it("escapes whatever a DAO calls itself, on every page", async () => {
    const data = reportData(true);
    const named = { ...data.list[0]!, name: HOSTILE };
    const [first, ...others] = data.daos;
    const daos = [{ ...first!, dao: named }, ...others];
    const change = { ...data.changes!.daos[0]!, name: HOSTILE };
    const unscored = data.unscored.map((dao) => ({ ...dao, name: HOSTILE }));
    const files = await reportFiles({
      ...data,
      daos,
      list: [named, ...data.list.slice(1)],
      unscored,
      changes: { ...data.changes!, daos: [change] },
    });
    for (const [path, text] of files) {
      if (!path.endsWith(".html")) continue;
      expect(text.includes("<script"), path).toBe(false);
      expect(pageOf(files, path).querySelectorAll("[onload]"), path).toHaveLength(0);
    }
    expect(pageOf(files, "daos/tidewater.example.html").querySelector("h1")?.textContent).toBe(HOSTILE);
    expect(words(files, "changes.html")).toContain(HOSTILE);
    expect(files.get("llms.txt")).not.toContain("](javascript:");
  });
});

describe("an open report", () => {
  it("shows no risk, history, proposal, entity or delegate past the tenth", () => {
    for (const path of open.keys()) {
      if (path === "methodology.html" || !path.endsWith(".html")) continue;
      const text =
        pageOf(open, path)
          .querySelector("main")
          ?.innerHTML.replaceAll(/<svg.*?<\/svg>/gs, "") ?? "";
      for (const secret of ["41.5", "Lantern", "MEMBER", "0xfeedbeef", "97.50", "Risk</th>"])
        expect(text.includes(secret), `${secret} on ${path}`).toBe(false);
    }
    const rows = pageOf(open, "daos/tidewater.example.html").querySelectorAll(
      "#delegates ~ .scroll tbody tr",
    );
    expect(rows).toHaveLength(10);
    expect(words(full, "daos/tidewater.example.html")).toMatch(/41\.5.*Lantern Labs.*MEMBER/);
  });

  it("says what it leaves out", () => {
    expect(pageOf(open, "index.html").querySelector("footer")?.textContent).toContain("are in a full report");
    expect(pageOf(full, "index.html").querySelector("footer")?.textContent).toContain("Full report");
  });
});

describe("a DAO's page begins with its story", () => {
  it.each([
    {
      why: "in the open: score, place, best and worst",
      files: () => open,
      path: "daos/tidewater.example.html",
      says: [
        "Scored 7.3 of 10 [6.9–7.6], strong: rank 1 of 3 (by its interval, 1 to 2), 1 of 2 in defi; −0.12 in 24 hours.",
        "strongest in process (8.00). What pulls it down: decentralisation (3.63).",
      ],
    },
    {
      why: "in full: how sure, and what costs it",
      files: () => full,
      path: "daos/tidewater.example.html",
      says: [
        "Scored 7.3 of 10 [6.9–7.6], strong: rank 1 of 3 (by its interval, 1 to 2)",
        "where most is lost on: voters as large as the largest that would make up the whole (1.3 points).",
        "80.0 % of the score is known",
        "votes apart: it would come from the time of each vote",
      ],
    },
    {
      why: "without evidence or risk it says so",
      files: () => full,
      path: "daos/harbor-lights.html",
      says: ["Scored 3.0 of 10, weak", "Confidence is low", "Not assessed"],
    },
  ])("$why", ({ files, path, says }) => {
    for (const sentence of says) expect(words(files(), path)).toContain(sentence);
  });
});

describe("which DAOs the data can tell apart", () => {
  it("stands in a table, each against each, and the other way round below the diagonal", () => {
    const rows = [...pageOf(full, "compare.html").querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.textContent),
    );
    expect(rows).toEqual([
      ["", "~", "+"],
      ["~", "", "+"],
      ["−", "−", ""],
    ]);
    expect(words(full, "compare.html")).toContain("Of 3 pairs, the data tell 2 apart, and 1 not.");
  });

  it("stands on each DAO's page against its neighbours; what makes it unclear, in a full report alone", () => {
    const says = "Orchard+1.75−0.50 and +1.50cannot be told apart";
    const page = "daos/tidewater.example.html";
    const text = (files: ReadonlyMap<string, string>) => words(files, page).replaceAll(" ", "");
    for (const files of [open, full]) expect(text(files)).toContain(says.replaceAll(" ", ""));
    expect(text(full)).toContain("Thelargestunknowns:breadthofOrchard");
    expect(text(open)).not.toContain("Thelargestunknowns");
  });
});

it("tells on the first day what moved before it, and in a full report why", () => {
  for (const files of [open, full]) {
    expect(words(files, "changes.html")).toContain(
      "From 2026-03-01 to 2026-03-31: 1 DAO has changed, 0 have not.",
    );
    expect(words(files, "changes.html")).toContain("The method changed as well: methodology.");
  }
  expect(words(full, "changes.html")).toContain("process −0.40 (quorum), 2 proposals came in");
  expect(words(open, "changes.html")).not.toMatch(/quorum|came in/);
});

it("shows no number with a known interval without it: in the ranking, its bars and for programs", () => {
  const [first, second] = [...pageOf(open, "index.html").querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("small")].map((small) => small.textContent),
  );
  expect(first).toEqual(["1–2", "defi", "6.90–7.60", "3.2–4.1", "3.2–4.1", "3.2–4.1", "3.2–4.1"]);
  expect(second, "nothing is known of its ends").toEqual([expect.stringMatching(/^[a-z ]+$/)]);
  expect(pageOf(open, "index.html").querySelectorAll(".whisker")).toHaveLength(1);
  expect(open.get("llms.txt")).toContain("rank 1 (1–2), GVS 7.25 [6.90–7.60]");
  expect(words(full, "daos/tidewater.example.html")).toContain("Whisker: now between 6.90 and 7.60.");
  expect(words(full, "daos/orchard.html")).not.toContain("Whisker: now");
});

it("tells what moved the index, in the chart and by month", () => {
  const text = words(open, "dgi.html");
  expect(text).toMatch(
    /Since \d{4}-\d\d-\d\d the index moved by .*: \+0\.39 by the scores of its members, −0\.78 by their weights, 0\.00 by who came or went/,
  );
  expect(text).toContain("Broken line: where it would be had only the scores of its members moved");
  const page = pageOf(open, "dgi.html");
  expect(page.querySelectorAll("#moves ~ .scroll tbody tr").length).toBeGreaterThan(1);
  expect(page.querySelectorAll("[stroke-dasharray]").length).toBeGreaterThan(0);
});

it("says what is not there: no DAO, no index, no version before", async () => {
  const files = await reportFiles({
    ...reportData(false),
    list: [],
    daos: [],
    verdicts: [],
    dgi: undefined,
    dgiHistory: undefined,
    indexMoves: [],
    changes: undefined,
    pastChanges: undefined,
  });
  expect(words(files, "index.html")).toContain("No DAO has a score yet");
  expect(words(files, "compare.html")).toContain("no two DAOs with a score");
  expect(words(files, "dgi.html")).toContain("There is no index");
  expect(words(files, "changes.html")).toContain("There is no history yet");
  expect(words(files, "changes.html")).toContain("No version before this one is kept");
});
