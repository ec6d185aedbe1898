import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, hasChromium, openChromium } from "../../fixtures/pictures/open-chromium.ts";
import type { RunningServer } from "../../proxy/server/start-server.ts";
import { DaoList } from "../../snapshots/format/dao.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../snapshots/optouts/opt-out-store.ts";
import { proKeyIn, startTestServer } from "../proxy/support/started-server.ts";
import { temporaryFolder } from "../proxy/support/temporary-folder.ts";
import { publishedSet, publishFixture } from "../support/published-set.ts";
import { listenTo, overflowOf, violationsOf, WINDOWS } from "./look-at-page.ts";

/** A server on a free port with one key, as an operator would have it. */
async function serve(root: string): Promise<{ readonly server: RunningServer; readonly key: string }> {
  const places = {
    home: join(root, "home"),
    snapshots: join(root, "published"),
    optouts: join(root, "optouts.db"),
  };
  await publishFixture(places.snapshots);
  createOptOuts({ path: places.optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  const server = await startTestServer(places);
  return { server, key: proKeyIn(places.home) };
}

describe.skipIf(!hasChromium)(`/docs in Chromium (skipped where ${CHROMIUM} is missing)`, () => {
  const root = temporaryFolder();
  let browser: Browser;
  let server: RunningServer;
  let key: string;
  beforeAll(async () => {
    [browser, { server, key }] = await Promise.all([openChromium(), serve(root)]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("takes a key by hand, asks with it, and forgets it with the page", async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    const complaints = listenTo(page, new RegExp(`^(data:|blob:|${server.address}/)`));
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

  it.each(WINDOWS)("axe finds nothing on $why, closed or open, and nothing is too wide", async (row) => {
    const { width, colorScheme } = row;
    const context = await browser.newContext({ viewport: { width, height: 1000 }, colorScheme });
    const page = await context.newPage();
    const complaints = listenTo(page, new RegExp(`^(data:|blob:|${server.address}/)`));
    await page.goto(`${server.address}/docs`);
    await page.locator(".opblock").first().waitFor();
    expect(await page.locator(".information-container").innerText()).toMatch(/^Quick start$/m);
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0]);
    for (const path of ["/v1/daos", "/v1/daos/{space_id}/delegates"]) {
      const operation = page.locator(".opblock", { has: page.locator(`[data-path="${path}"]`) });
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
    }
    await page.locator(".responses-table").nth(1).waitFor();
    expect([await violationsOf(page), await overflowOf(page)]).toEqual([[], 0]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
