import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, hasChromium, openChromium } from "../../fixtures/pictures/open-chromium.ts";
import { createKey } from "../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../proxy/keys/key-table.ts";
import { type RunningServer, startServer } from "../../proxy/server/start-server.ts";
import { readServeSettings } from "../../proxy/settings.ts";
import { DaoList } from "../../snapshots/format/dao.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../snapshots/optouts/opt-out-store.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { publishedSet, publishFixture } from "../support/published-set.ts";

const NOW_MS = Date.parse("2026-04-01T12:00:00Z");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PEPPER = "pepper for tests, 32 characters or more";

/** A server on a free port with one key, as an operator would have it. */
async function serve(root: string): Promise<{ readonly server: RunningServer; readonly key: string }> {
  const snapshots = join(root, "published");
  await publishFixture(snapshots);
  const places = { home: join(root, "home"), snapshots, optouts: join(root, "optouts.db") };
  createOptOuts({ path: places.optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  const server = await startServer(places, readServeSettings({ port: "0" }, {}), {
    nowMs: () => NOW_MS,
    monotonicMs: () => NOW_MS,
    randomBytes,
    logStream: { write: () => {} },
    pepper: PEPPER,
    versions: {
      readPointer: () => readPointer(snapshots),
      open: (sequenceMin) => openSnapshot(snapshots, { sequenceMin }),
    },
    repeat: () => () => {},
  });
  const store = openKeyTable(join(places.home, "keys.db"), 100);
  const ring = { table: store, pepper: PEPPER, nowMs: NOW_MS, randomBytes };
  const options = { account: "reader", terms: { tier: "pro" as const }, environment: "live" as const };
  const { key } = createKey(ring, { ...options, expiresAtMs: null });
  store.close();
  return { server, key };
}

/** What the page should have no reason to say, and every request that leaves the server it came from. */
function complaintsOf(page: Page, address: string): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${address}/`))
      complaints.push(`asked for ${request.url()}`);
  });
  return complaints;
}

describe.skipIf(!hasChromium)(`/docs in Chromium (skipped where ${CHROMIUM} is missing)`, () => {
  const root = mkdtempSync(join(tmpdir(), "govdata-docs-"));
  let browser: Browser;
  let server: RunningServer;
  let key: string;
  beforeAll(async () => {
    [browser, { server, key }] = await Promise.all([openChromium(), serve(root)]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  it("takes a key by hand, asks with it, and forgets it with the page", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    const complaints = complaintsOf(page, server.address);
    await page.goto(`${server.address}/docs`);
    await page.getByRole("button", { name: "Authorize" }).click();
    const form = page.locator(".modal-ux");
    await form.locator("input").fill(key);
    await form.getByRole("button", { name: "Apply credentials" }).click();
    await form.getByRole("button", { name: "Close" }).last().click();

    const operation = page.locator(".opblock", { has: page.locator('[data-path="/v1/daos"]') });
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Try it out" }).click();
    await operation.getByRole("button", { name: "Execute" }).click();
    const answer = operation.locator(".live-responses-table");
    expect(await answer.locator("tbody .response-col_status").first().textContent()).toMatch(/^200/);
    const body = (await answer.locator(".microlight").first().textContent()) ?? "";
    // The form is filled in with the document's example.
    const category = await operation.locator("select").first().inputValue();
    const wanted = publishedSet().daos.filter((dao) => dao.category === category);
    expect(DaoList.parse(JSON.parse(body).data)).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(0);

    const kept = "[document.cookie, localStorage.length, sessionStorage.length]";
    expect(await page.evaluate(kept)).toEqual(["", 0, 0]);
    await page.reload();
    await page.getByRole("button", { name: "Authorize" }).click();
    expect(await form.locator("input").inputValue()).toBe("");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([
    { why: "a phone by day", width: 390, colorScheme: "light" },
    { why: "a phone by night", width: 390, colorScheme: "dark" },
    { why: "a desk by day", width: 1280, colorScheme: "light" },
    { why: "a desk by night", width: 1280, colorScheme: "dark" },
  ] as const)("axe finds nothing on $why, closed or open, and nothing is too wide", async (row) => {
    const { width, colorScheme } = row;
    const context = await browser.newContext({ viewport: { width, height: 1000 }, colorScheme });
    const page = await context.newPage();
    const complaints = complaintsOf(page, server.address);
    await page.goto(`${server.address}/docs`);
    await page.locator(".opblock").first().waitFor();
    expect(await page.locator(".information-container").innerText()).toMatch(/^Quick start$/m);
    const session = await context.newCDPSession(page);
    const violations = async () => {
      // Not as a script of the page, which its policy forbids.
      await session.send("Runtime.evaluate", { expression: AXE });
      return page.evaluate(async () => {
        const { axe } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        const { violations } = await axe.run();
        const over = document.documentElement.scrollWidth - window.innerWidth;
        return [
          ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
          ...(over > 0 ? [over] : []),
        ];
      });
    };
    expect(await violations()).toEqual([]);
    for (const path of ["/v1/daos", "/v1/daos/{space_id}/delegates"]) {
      const operation = page.locator(".opblock", { has: page.locator(`[data-path="${path}"]`) });
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
    }
    await page.locator(".responses-table").nth(1).waitFor();
    expect(await violations()).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
