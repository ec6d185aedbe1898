import { JSDOM } from "jsdom";
import { beforeAll, describe, expect, it } from "vitest";
import { htmlText } from "../../../../pipeline/tools/html.ts";
import { qualityPage } from "../../../../pipeline/tools/report/quality-page.ts";
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

  it("has no inline style or script, and a policy that would stop them; only the ranking has a script", () => {
    for (const [path, text] of full) {
      if (!path.endsWith(".html")) continue;
      const document = pageOf(full, path);
      const inline = "style, script:not([src]), iframe, [style], [onload]";
      expect(document.querySelectorAll(inline), path).toHaveLength(0);
      const addresses = [...document.querySelectorAll("[src], link[href]")].map((element) =>
        (element.getAttribute("href") ?? element.getAttribute("src"))?.replace("../", ""),
      );
      const hasScript = path === "index.html";
      expect(addresses, path).toEqual(["report.css", "feed.xml", ...(hasScript ? ["ranking.js"] : [])]);
      expect(text, path).toContain("default-src &#39;none&#39;");
      expect(text.includes("script-src"), path).toBe(hasScript);
      const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      expect(ids.length, path).toBe(new Set(ids).size);
    }
  });

  it("loads nothing from another host: neither pages nor style sheet, script or pictures", () => {
    for (const [path, text] of full) {
      if (/\.(css|js)$/.test(path)) expect(text, path).not.toMatch(/url\(|@import|https?:|import\(|fetch\(/);
      if (path.endsWith(".svg")) expect(text, path).not.toMatch(/href|<image|url\(|<style|<script/);
    }
  });

  it("has the data and the picture of each chart beside it", () => {
    const page = pageOf(full, "daos/tidewater.example.html");
    const figures = [...page.querySelectorAll("figure")];
    expect(figures.length).toBeGreaterThan(2);
    for (const figure of figures) {
      const [data, picture] = [...figure.querySelectorAll("a[download]")].map(
        (link) => full.get(`daos/${link.getAttribute("href")}`) ?? "",
      );
      const { document } = new JSDOM(picture ?? "", { contentType: "image/svg+xml" }).window;
      const title = figure.querySelector("figcaption b")?.textContent;
      expect(`${document.querySelector("svg > text")?.textContent}.`).toBe(title);
      expect(picture).not.toContain("var(");
      const [head = "", ...rows] = (data ?? "").trim().split("\n");
      expect(rows.length, title ?? "").toBeGreaterThan(1);
      for (const row of rows) expect(row.split(",").length, row).toBe(head.split(",").length);
    }
    expect(full.get("daos/charts/tidewater.example/year.csv")?.split("\n").slice(0, 3)).toEqual([
      "date,gvs,gvs_low,gvs_high,hpr,hpr_low,hpr_high,dei,dei_low,dei_high,pdi,pdi_low,pdi_high,gpi,gpi_low,gpi_high,risk_score,data_completeness",
      "2026-03-02,6.96,,,7.25,,,3.63,,,7.25,,,8,,,,97.5",
      "2026-03-03,6.97,6.62,7.32,7.25,3.2,4.1,3.63,3.2,4.1,7.25,3.2,4.1,8,3.2,4.1,,97.5",
    ]);
  });

  it("has a number and its ends in the data of the ranking, and nothing that runs in a spreadsheet", async () => {
    const data = reportData(false);
    const [first, ...others] = data.daos;
    const named = { ...first!, dao: { ...first!.dao, name: '=HYPERLINK("x")' } };
    const csv = (await reportFiles({ ...data, daos: [named, ...others] })).get("charts/ranking.csv");
    expect(csv?.split("\n")[1]).toBe(
      `1,1,2,tidewater.example,"'=HYPERLINK(""x"")",defi,0.8,-0.12,7.25,6.9,7.6,7.25,3.2,4.1,3.63,3.2,4.1,7.25,3.2,4.1,8,3.2,4.1`,
    );
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
    expect(rows.slice(0, 2)).toEqual(["Plant </a><b> reeds", "0xfeedbeef02"]);
    const links = [...page.querySelectorAll('a[rel="external nofollow noopener noreferrer"]')];
    expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["website", "https://tidewater.example/"],
      ["platform", "https://vote.example/#/s:tide"],
      ["Plant </a><b> reeds", "https://vote.example/#/proposal/1?a='"],
    ]);
  });

  it("escapes whatever a DAO calls itself, on every page", async () => {
    const data = reportData(true);
    const [first, ...others] = data.daos;
    const daos = [{ ...first!, dao: { ...first!.dao, name: HOSTILE } }, ...others];
    const change = { ...data.changes!.daos[0]!, name: HOSTILE };
    const unscored = data.unscored.map((report) => ({ ...report, dao: { ...report.dao, name: HOSTILE } }));
    const files = await reportFiles({
      ...data,
      daos,
      unscored,
      changes: { ...data.changes!, daos: [change] },
    });
    for (const [path, text] of files) {
      if (!path.endsWith(".html")) continue;
      expect(text, path).not.toMatch(/<script(?! src="ranking.js" defer>)/);
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
      for (const secret of ["41.5", "Lantern", "frame", "0xfeedbeef", "97.5", "Risk</th>"])
        expect(text.includes(secret), `${secret} on ${path}`).toBe(false);
    }
    expect([...open.keys()].filter((path) => path.startsWith("daos/charts/"))).toEqual([]);
    for (const [path, text] of open)
      if (path.endsWith(".csv")) expect(text, path).not.toMatch(/41\.5|Lantern|0xfeedbeef|97\.5/);
    const rows = pageOf(open, "daos/tidewater.example.html").querySelectorAll(
      "[aria-labelledby=delegates] tbody tr",
    );
    expect(rows).toHaveLength(10);
    expect(words(full, "daos/tidewater.example.html")).toMatch(/41\.5.*Lantern Labs.*Plant/);
  });

  it("says what it leaves out", () => {
    expect(pageOf(open, "index.html").querySelector("footer")?.textContent).toContain(
      "A full report adds risk",
    );
    expect(pageOf(full, "index.html").querySelector("footer")?.textContent).toContain("Full report");
  });
});

describe("a DAO's page begins with its story", () => {
  it.each([
    {
      why: "in the open: score and place",
      files: () => open,
      path: "daos/tidewater.example.html",
      says: ["Score, 0 to 107.25 6.90–7.60, strongChange−0.12 in 24 hoursRank1–2 of 3Rank in defi1 of 2"],
    },
    {
      why: "in full: how sure, and what costs it",
      files: () => full,
      path: "daos/tidewater.example.html",
      says: [
        "Risk41.5 40.0–45.0 of 100, moderate",
        "It votes: at least two proposals of usual power ended in the last 120 days. 80.0 % of its score is known: it lies between 6.90 and 7.60, from data that are 97.5 % complete. It surely loses most on “voters as large as the largest that would make up the whole”: 1.30 points of participation",
        "At least 20 proposals count. Votes are known until 2026-03-31.",
        "votes apartthe time of each vote",
        "would make up the whole40.0 %–60.0 %1.30 of 3.30",
        "an unknown onenot known1.30 of 3.30",
        "one fully known50.0 %1.30 of 3.30",
      ],
    },
    {
      why: "without evidence or risk it says so",
      files: () => full,
      path: "daos/harbor-lights.html",
      says: ["Score, 0 to 103.00 weak", "Fewer than 20 proposals count.", "Not assessed"],
    },
  ])("$why", ({ files, path, says }) => {
    for (const sentence of says) expect(words(files(), path)).toContain(sentence);
  });
});

describe("which DAOs the data can tell apart", () => {
  it("stands in a table, each against each, and the other way round below the diagonal", () => {
    const rows = [...pageOf(full, "compare.html").querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("td.sign")].map((cell) => cell.textContent),
    );
    expect(rows).toEqual([
      ["", "~", "+"],
      ["~", "", "+"],
      ["−", "−", ""],
    ]);
    expect(words(full, "compare.html")).toContain("The data tell 2 of 3 pairs apart.");
  });

  it("stands on each DAO's page against its neighbours; what makes it unclear, in a full report alone", () => {
    const says = "Orchard+1.75−0.50 to +1.50cannot be told apart";
    const page = "daos/tidewater.example.html";
    const text = (files: ReadonlyMap<string, string>) => words(files, page).replaceAll(" ", "");
    for (const files of [open, full]) expect(text(files)).toContain(says.replaceAll(" ", ""));
    expect(text(full)).toContain("Thelargestunknowns:breadthofOrchard");
    expect(text(open)).not.toContain("Thelargestunknowns");
  });
});

it("tells on the first day what moved before it, and in a full report why", () => {
  for (const files of [open, full]) {
    expect(words(files, "changes.html")).toContain("From 2026-03-01 to 2026-03-31: 1 of 1 DAOs changed.");
    expect(words(files, "changes.html")).toContain("The method changed too: methodology.");
  }
  expect(words(full, "changes.html")).toContain("process −0.40 (quorum), 2 proposals entered the frame");
  expect(words(open, "changes.html")).not.toMatch(/quorum|entered/);
});

it("shows no number with a known interval without it: in the ranking, its bars and for programs", () => {
  const [first, second] = [...pageOf(open, "index.html").querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("small")].map((small) => small.textContent),
  );
  expect(first).toEqual([
    "tidewater.example · defi",
    "6.90–7.60",
    "3.2–4.1",
    "3.2–4.1",
    "3.2–4.1",
    "3.2–4.1",
  ]);
  expect(second, "nothing is known of its ends").toEqual([expect.stringMatching(/^orchard · public goods$/)]);
  expect(
    pageOf(open, "index.html").querySelectorAll(".range"),
    "of one scored and one unscored DAO",
  ).toHaveLength(2);
  expect(open.get("llms.txt")).toContain("rank 1 (1–2), GVS 7.25 [6.90–7.60]");
  expect(words(full, "daos/tidewater.example.html")).toContain("Band: the interval in which the score lies");
  expect(words(full, "daos/orchard.html")).not.toContain("Band:");
});

it("tells what moved the index, in the chart and by month", () => {
  const text = words(open, "dgi.html");
  expect(text).toMatch(
    /Since \d{4}-\d\d-\d\d the index has moved by .*: \+0\.39 through its members' scores, −0\.78 through their weights, and 0\.00 through DAOs that joined/,
  );
  expect(text).toContain("Broken line: the index if only its members' scores had moved");
  const page = pageOf(open, "dgi.html");
  expect(page.querySelectorAll("[aria-labelledby=moves] tbody tr").length).toBeGreaterThan(1);
  expect(page.querySelectorAll("[stroke-dasharray]").length).toBeGreaterThan(0);
});

it("calls the worst risk very high, since critical is the lowest word for a score", async () => {
  const data = reportData(true);
  const daos = data.daos.map((dao) => {
    const risk = dao.full?.risk && { ...dao.full.risk, risk_level: "critical" as const };
    return dao.full === undefined ? dao : { ...dao, full: { ...dao.full, risk } };
  });
  const page = words(await reportFiles({ ...data, daos }), "daos/tidewater.example.html");
  expect(page).toContain("of 100, very high");
  expect(page).toContain("of 100: very high, ");
  expect(page).not.toMatch(/critical/i);
});

it("says what is not there: no DAO, no index, no version before", async () => {
  const files = await reportFiles({
    ...reportData(false),
    daos: [],
    verdicts: [],
    dgi: undefined,
    dgiHistory: undefined,
    indexMoves: [],
    changes: undefined,
    pastChanges: undefined,
  });
  expect(words(files, "index.html")).toContain("No DAO has a score yet");
  expect(words(files, "compare.html")).toContain("Fewer than two DAOs have a score");
  expect(words(files, "dgi.html")).toContain("There is no index");
  expect(words(files, "changes.html")).toContain("There is no history yet");
  expect(words(files, "changes.html")).toContain("No earlier version is kept");
});

describe("a tracked DAO without a score", () => {
  it("stands on the first page with its interval and the reason, and has a page", () => {
    for (const files of [open, full]) {
      const row = pageOf(files, "index.html").querySelector("[aria-labelledby=unscored] tbody tr");
      const cells = [...(row?.children ?? [])].map((cell) => cell.textContent?.trim());
      expect(cells).toEqual([
        "Quiet Reefquiet-reef · social",
        "0.75–8.50",
        "Too little is known for a score.",
      ]);
      expect(row?.querySelector("a")?.getAttribute("href")).toBe("daos/quiet-reef.html");
      const page = words(files, "daos/quiet-reef.html");
      expect(page).toContain("Score lies in0.75–8.50");
      expect(page).toContain("It has no score. Too little is known for a score.");
      expect(page).toContain("(a hub gives it as vp)");
      expect(page).toMatch(/Deliberation.*2\.50–6\.00.*the voting power of each vote/);
    }
    expect(open.get("llms.txt")).toContain("no score [0.75–8.50]. Too little is known for a score.");
  });
});

it.each([
  { why: "2 points wide: the point in large", ends: [6, 8] as const, says: "7.25 6.00–8.00" },
  { why: "wider: the interval", ends: [5.99, 8] as const, says: "5.99–8.00 best guess 7.25" },
])("shows of an interval $why", async ({ ends, says }) => {
  const data = reportData(false);
  const daos = data.daos.map((dao) => ({
    ...dao,
    interval: dao.interval && { ...dao.interval, gvs: [...ends] as [number, number] },
  }));
  expect(words(await reportFiles({ ...data, daos }), "daos/tidewater.example.html")).toContain(says);
});

it("says how to cite a page, and of a chart its axis and where the votes end", async () => {
  expect(pageOf(open, "daos/orchard.html").querySelector("footer")?.textContent).toContain(
    "Cite as: govdata, Orchard, Governance Vitality Score 5.50 of 10, as of 2026-03-31, method 1.0.0, version 20260401T010000Z-0123abcd",
  );
  const page = "daos/tidewater.example.html";
  expect(full.get("daos/charts/tidewater.example/year.svg")).toContain("points, a part of 0 to 10");
  expect(full.get("daos/charts/tidewater.example/scale.svg")).toContain("points, 0 to 10");
  expect(words(full, page), "known to the last day").not.toContain("votes cast since");
  const data = reportData(true);
  const [first, ...others] = data.daos;
  const evidence = { ...first!.full!.evidence!, knownUntil: "2026-03-20T20:00:00.000Z" };
  const daos = [{ ...first!, full: { ...first!.full!, evidence } }, ...others];
  expect(words(await reportFiles({ ...data, daos }), page)).toContain(
    "Its votes are known until 2026-03-20; votes cast since are not in the later scores.",
  );
});

it("draws the grid of a chart once, and below all else", () => {
  for (const [file, panels] of [
    ["scale", 1],
    ["components", 4],
  ] as const) {
    const picture = full.get(`daos/charts/tidewater.example/${file}.svg`) ?? "";
    const { document } = new JSDOM(picture, { contentType: "image/svg+xml" }).window;
    const lines = [...document.querySelectorAll('[stroke="#dfdcd5"] line')];
    expect(lines, file).toHaveLength(6 * panels);
    const band = document.querySelector('[fill="#6e8f99"]');
    expect(band && lines.every((line) => line.compareDocumentPosition(band) & 4), file).toBe(true);
  }
});

it("folds findings and rejected rows by their kind", () => {
  const data = reportData(false);
  const finding = { space_id: "orchard", message: "differs" };
  const findings = ["B", "A", "B"].map((code) => ({ code, ...finding }));
  const body = htmlText(qualityPage({ ...data, run: { ...data.run, findings } }).body);
  const { document } = new JSDOM(body).window;
  const kinds = [...document.querySelectorAll("[aria-labelledby=findings] details")].map((fold) => [
    fold.querySelector("summary")?.textContent,
    fold.querySelectorAll("tbody tr").length,
  ]);
  expect(kinds).toEqual([
    ["B (2)", 2],
    ["A (1)", 1],
  ]);
  const rejected = document.querySelector("[aria-labelledby=rejected] tbody tr");
  expect([...(rejected?.children ?? [])].map((cell) => cell.textContent)).toEqual([
    "orchard",
    "votes.csv, line 7",
    "has no voter",
  ]);
});
