import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, hasChromium, openChromium } from "../../fixtures/pictures/open-chromium.ts";
import { reportData, reportFiles } from "../pipeline/readers/report/report-stage.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WINDOWS = [
  { why: "a phone by day", width: 390, colorScheme: "light" },
  { why: "a phone by night", width: 390, colorScheme: "dark" },
  { why: "a desk by day", width: 1280, colorScheme: "light" },
  { why: "a desk by night", width: 1280, colorScheme: "dark" },
] as const;

/** Collects what a browser says that it should have no reason to: requests, failures, complaints. */
function listenTo(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) complaints.push(`asked for ${request.url()}`);
  });
  return complaints;
}

/** What is wrong with a page to look at: too wide, a picture without a size, no style sheet. */
async function looksOf(page: Page): Promise<string[]> {
  const { over, flat, colour } = await page.evaluate(() => ({
    over: document.documentElement.scrollWidth - window.innerWidth,
    flat: [...document.querySelectorAll("svg")].filter((svg) => !svg.getAttribute("width")).length,
    colour: getComputedStyle(document.body).backgroundColor,
  }));
  return [
    ...(over > 0 ? [`${over} px too wide`] : []),
    ...(flat > 0 ? [`${flat} pictures without a size`] : []),
    ...(colour === "rgba(0, 0, 0, 0)" ? ["the style sheet is not there"] : []),
  ];
}

describe.skipIf(!hasChromium)(`the report in Chromium (skipped where ${CHROMIUM} is missing)`, () => {
  const root = mkdtempSync(join(tmpdir(), "govdata-pages-"));
  const data = reportData(true);
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
    const complaints = listenTo(page);
    for (const path of pages) {
      await page.goto(addressOf(path));
      complaints.push(...(await looksOf(page)));
      expect(complaints, path).toEqual([]);
    }
    await context.close();
  });

  // Both widths and both schemes, each once: the checks of a page take longer than the page.
  it.each([WINDOWS[0], WINDOWS[3]])("axe finds nothing on $why", async ({ width, colorScheme }) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      bypassCSP: true,
    });
    const page = await context.newPage();
    // One DAO with everything and one with gaps; the method is long, and no other on a desk.
    const isLooked = (path: string) =>
      !path.includes("orchard") && (path !== "methodology.html" || width === 390);
    for (const path of pages.filter(isLooked)) {
      await page.goto(addressOf(path));
      await page.evaluate(AXE);
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      expect(violations, path).toEqual([]);
    }
    await context.close();
  });

  it("shows in its tables what the documents hold", async () => {
    const page = await browser.newPage();
    const rowsOf = async (path: string, caption: string) => {
      await page.goto(addressOf(path));
      return page.evaluate((wanted) => {
        const table = [...document.querySelectorAll("table")].find(
          (each) => each.caption?.textContent === wanted,
        );
        return [...(table?.tBodies[0]?.rows ?? [])].map((row) =>
          [...row.cells].map((cell) => cell.textContent?.trim() ?? ""),
        );
      }, caption);
    };
    const number = (text = "") => Number(text.replace("−", "-").replace(/[,%\s]/g, ""));
    const ranking = await rowsOf("index.html", "DAOs by Governance Vitality Score");
    // Behind a number may stand between which ends it lies.
    const point = (text = "") => number(text.split(" ", 1)[0]);
    expect(ranking.map(([rank, , gvs, change]) => [rank, gvs, change].map(point))).toEqual(
      data.list.map(({ rank, gvs, delta_24h }) => [rank, gvs, delta_24h]),
    );
    const year = await rowsOf("dgi.html", "The numbers of 40 days");
    expect(year.map(([day, composite]) => [day, number(composite)])).toEqual(
      data.dgiHistory?.values.map(({ date, composite }) => [date, composite]).reverse(),
    );
    const delegates = await rowsOf("daos/tidewater.example.html", "The 100 strongest delegates");
    expect(delegates.map(([rank, , , share]) => [rank, share].map(number))).toEqual(
      data.daos[0]?.listing?.delegates.map((each) => [each.rank, each.votes_share_pct]),
    );
    await page.close();
  });
});
