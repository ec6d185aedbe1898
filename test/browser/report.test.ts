import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, hasChromium, openChromium } from "../../fixtures/pictures/open-chromium.ts";
import type { ReportData } from "../../pipeline/tools/report/report-data.ts";
import { reportData, reportFiles } from "../pipeline/tools/report/report-stage.ts";
import { listenTo, overflowOf, violationsOf, WINDOWS } from "./look-at-page.ts";

/** What is wrong with a page to look at: too wide, a picture without a size, no style sheet, a date on two lines. */
async function looksOf(page: Page): Promise<string[]> {
  const over = await overflowOf(page);
  const { flat, colour, broken, shaded } = await page.evaluate(() => ({
    shaded: [...document.querySelectorAll("caption")].filter((caption) => {
      const range = document.createRange();
      range.selectNodeContents(caption);
      const edge = caption.closest(".scroll")?.getBoundingClientRect().right ?? 0;
      return [...range.getClientRects()].some(({ right }) => right > edge - 12);
    }).length,
    flat: [...document.querySelectorAll("svg")].filter((svg) => !svg.getAttribute("width")).length,
    colour: getComputedStyle(document.body).backgroundColor,
    broken: [...document.querySelectorAll("td")].filter((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return /^\d{4}-\d\d-\d\d$/.test(cell.textContent ?? "") && range.getClientRects().length > 1;
    }).length,
  }));
  return [
    ...(over > 0 ? [`${over} px too wide`] : []),
    ...(flat > 0 ? [`${flat} pictures without a size`] : []),
    ...(colour === "rgba(0, 0, 0, 0)" ? ["the style sheet is not there"] : []),
    ...(shaded > 0 ? [`${shaded} captions that run into the shade`] : []),
    ...(broken > 0 ? [`${broken} broken dates`] : []),
  ];
}

/** What a page may weigh, and how long that of a DAO may be on a desk. */
const PAGE_BYTES_MAX = 300 * 1024;
const SCREENS_MAX = 4;

describe.skipIf(!hasChromium)(`the report in Chromium (skipped where ${CHROMIUM} is missing)`, () => {
  const root = mkdtempSync(join(tmpdir(), "govdata-pages-"));
  const data = {
    ...reportData(true),
    imprint: {
      contributors: [
        { title: "A publisher", role: "publisher", path: "https://us.example/", email: "errors@us.example" },
      ] satisfies ReportData["imprint"]["contributors"],
      invented: true as const,
    },
    corrections: [
      {
        date: "2026-04-02",
        wrong: "A sentence as long as sentences about errors in published numbers are wont to be.",
        changed:
          "Another one, about what was done, which numbers moved by how much, and why it took so long.",
        versions: Array.from({ length: 9 }, (_, day) => `2026040${day + 1}T010000Z-9dab89c3`),
      },
    ],
  };
  let browser: Browser;
  let pages: readonly string[];
  const addressOf = (path: string) => pathToFileURL(join(root, path)).href;

  beforeAll(async () => {
    const files = await reportFiles(data);
    for (const [path, text] of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    pages = [...files.keys()].filter((path) => path.endsWith(".html"));
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it.each(WINDOWS)("stands on $why, without scripts", async ({ width, colorScheme }) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    const complaints = listenTo(page, /^file:/);
    for (const path of pages) {
      await page.goto(addressOf(path));
      complaints.push(...(await looksOf(page)));
      expect(complaints, path).toEqual([]);
    }
    await context.close();
  });

  it.each(WINDOWS)("axe finds nothing on $why", async ({ width, colorScheme }) => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const page = await context.newPage();
    // One DAO with everything and one with gaps; the method is long: one window for each width and each scheme.
    const isOnce = (width === 390) === (colorScheme === "light");
    const isLooked = (path: string) => !path.includes("orchard") && (path !== "methodology.html" || isOnce);
    for (const path of pages.filter(isLooked)) {
      await page.goto(addressOf(path));
      expect(await violationsOf(page), path).toEqual([]);
    }
    await context.close();
  });

  it("has light pages, and those of DAOs are a few screens long", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    for (const path of pages) {
      expect(statSync(join(root, path)).size, path).toBeLessThan(PAGE_BYTES_MAX);
      if (!path.startsWith("daos/")) continue;
      await page.goto(addressOf(path));
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      expect(height / 800, path).toBeLessThanOrEqual(SCREENS_MAX);
    }
    await page.close();
  });

  it("says on a phone that a table has more columns, and keeps the names in sight", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    await page.goto(addressOf("index.html"));
    const hint = () =>
      page.evaluate(() => getComputedStyle(document.querySelector("caption")!, "::after").content);
    expect(await hint()).toContain("scroll");
    const left = await page.evaluate(async () => {
      const scroller = document.querySelector(".scroll")!;
      scroller.scrollLeft = scroller.scrollWidth;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return document.querySelector("tbody th")!.getBoundingClientRect().left;
    });
    expect(left).toBeGreaterThanOrEqual(0);
    expect(await hint(), "nothing more to the right").toBe("none");
    await page.close();
  });

  it("prints what is folded, and every column, on the width of a sheet", async () => {
    const page = await browser.newPage({ viewport: { width: 718, height: 1000 }, colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const path of pages) {
      await page.goto(addressOf(path));
      const { wide, shut, paper } = await page.evaluate(() => ({
        wide: [...document.querySelectorAll("table")].filter((element) => element.clientWidth > innerWidth)
          .length,
        shut: [...document.querySelectorAll("details > div")].filter(
          (element) => !(element as HTMLElement).checkVisibility({ contentVisibilityAuto: true }),
        ).length,
        paper: getComputedStyle(document.body).backgroundColor,
      }));
      expect({ wide, shut, paper }, path).toEqual({ wide: 0, shut: 0, paper: "rgb(255, 255, 255)" });
    }
    await page.close();
  });

  it("sorts the ranking by a column and filters it by category, from a folder and under its policy", async () => {
    const page = await browser.newPage();
    const complaints = listenTo(page, /^file:/);
    await page.goto(addressOf("index.html"));
    const names = () => page.locator("table").first().locator("tbody tr:visible th a").allTextContents();
    const [ranked, rest] = [page.locator("table").first(), page.locator("table").last()];
    expect(await rest.locator("tbody tr:visible").count()).toBe(1);
    const byRank = await names();
    expect(byRank.length).toBe(3);
    const press = (name: string) => ranked.getByRole("button", { name }).click();
    await press("DAO");
    expect(await names()).toEqual([...byRank].sort());
    expect(await page.locator("[aria-sort]").getAttribute("aria-sort")).toBe("ascending");
    await press("Score");
    expect(await names()).toEqual(byRank);
    await press("Score");
    expect(await names()).toEqual([...byRank].reverse());
    await press("Rank");
    expect(await names()).toEqual(byRank);
    await page.getByLabel("Category").selectOption("defi");
    const listed = data.daos.map(({ dao }) => dao);
    const expected = listed.filter(({ category }) => category === "defi").map(({ name }) => name);
    expect(await names()).toEqual(expected);
    await page.getByLabel("Category").selectOption("all");
    for (const [wanted, count] of [
      ["quiet-reef", 1],
      ["QUIET R", 1],
      ["reef-quiet", 0],
    ] as const) {
      await page.getByLabel("Name or id").fill(wanted);
      expect([await names(), await rest.locator("tbody tr:visible").count()], wanted).toEqual([[], count]);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("shows in its tables what the documents hold", async () => {
    const page = await browser.newPage();
    const rowsOf = async (path: string, caption: string) => {
      await page.goto(addressOf(path));
      return page.evaluate((wanted) => {
        const table = [...document.querySelectorAll("table")].find(
          (element) => element.caption?.textContent === wanted,
        );
        return [...(table?.tBodies[0]?.rows ?? [])].map((row) =>
          [...row.cells].map((cell) => cell.firstChild?.textContent?.trim() ?? ""),
        );
      }, caption);
    };
    const number = (text = "") => Number(text.replace("−", "-").replace(/[,%\s]/g, ""));
    const ranking = await rowsOf("index.html", "DAOs by Governance Vitality Score");
    expect(ranking.map(([, name, gvs, change]) => [name, number(gvs), number(change)])).toEqual(
      data.daos.map(({ dao }) => [dao.name, dao.gvs, dao.delta_24h]),
    );
    const listed = "The 100 largest delegates";
    const delegates = [
      ...(await rowsOf("daos/tidewater.example.html", listed)),
      ...(await rowsOf("daos/tidewater.example.html", `${listed} (continued)`)),
    ];
    expect(delegates.map(([rank, , , share]) => [rank, share].map(number))).toEqual(
      data.daos[0]?.listing?.delegates.map((delegate) => [delegate.rank, delegate.votes_share_pct]),
    );
    const year = readFileSync(join(root, "charts/index-year.csv"), "utf8").trim().split("\n").slice(1);
    expect(year.map((row) => row.split(",").slice(0, 2))).toEqual(
      data.dgiHistory?.values.map(({ date, composite }) => [date, String(composite)]),
    );
    await page.close();
  });
});
