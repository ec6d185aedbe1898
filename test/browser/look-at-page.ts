import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The windows in which pages are looked at. */
export const WINDOWS = [
  { why: "a phone by day", width: 390, colorScheme: "light" },
  { why: "a phone by night", width: 390, colorScheme: "dark" },
  { why: "a desk by day", width: 1280, colorScheme: "light" },
  { why: "a desk by night", width: 1280, colorScheme: "dark" },
] as const;

/** Collects what a page should have no reason to say, and every request for anything but its own. */
export function listenTo(page: Page, own: RegExp): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  page.on("request", (request) => {
    if (!own.test(request.url())) complaints.push(`asked for ${request.url()}`);
  });
  return complaints;
}

/** What axe finds on a page. */
export async function violationsOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  // Not as a script of the page, which its policy forbids.
  await session.send("Runtime.evaluate", { expression: AXE });
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
}

/** By how many pixels a page is too wide for its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
