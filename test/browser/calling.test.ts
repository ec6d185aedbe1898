import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, hasChromium, openChromium } from "../../fixtures/pictures/open-chromium.ts";
import { createListeningProxy, type ListeningProxy } from "../proxy/support/listening-proxy.ts";
import { temporaryFolder } from "../proxy/support/temporary-folder.ts";
import { publishFixture } from "../support/published-set.ts";

const EXAMPLE = fileURLToPath(new URL("../guides/calling-example.ts", import.meta.url));

/** The guide's TypeScript as a script of a page: only what Node gives it is replaced. */
async function scriptOf(variables: Readonly<Record<string, string>>): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [EXAMPLE],
    bundle: true,
    format: "esm",
    write: false,
    define: { "process.env": JSON.stringify(variables), "process.stdout.write": "console.info" },
    plugins: [
      {
        name: "timers",
        setup: (shims) => {
          shims.onResolve({ filter: /^node:timers\/promises$/ }, ({ path }) => ({ path, namespace: "shim" }));
          shims.onLoad({ filter: /./, namespace: "shim" }, () => ({
            contents: "export const setTimeout = (ms) => new Promise((end) => window.setTimeout(end, ms));",
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}

describe.skipIf(!hasChromium)(
  `the guide's code on a page of another origin (skipped where ${CHROMIUM} is missing)`,
  () => {
    const folder = temporaryFolder();
    let script = "";
    let pages: Server;
    let browser: Browser;
    let origin: string;
    let proxy: ListeningProxy;
    beforeAll(async () => {
      pages = createServer((request, response) => {
        const isScript = request.url === "/example.js";
        response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
        response.end(isScript ? script : '<!doctype html><script type="module" src="example.js"></script>');
      });
      await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
      origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
      const published = join(folder, "published");
      await publishFixture(published);
      let isDown = true;
      proxy = await createListeningProxy({
        folder,
        published,
        corsOrigins: [origin],
        // The first request meets a store that is down, so that `Retry-After` is read as well.
        quota: (real) => ({
          ...real,
          charge: (request) => {
            if (!isDown) return real.charge(request);
            isDown = false;
            return Promise.reject(new Error("down, once"));
          },
        }),
      });
      browser = await openChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await proxy?.close();
      pages?.close();
    });

    it("waits for a 503, keeps the document, and is told 304 by its ETag", async () => {
      script = await scriptOf({ GOVDATA_URL: `http://127.0.0.1:${proxy.port}`, GOVDATA_KEY: proxy.keys.pro });
      const page = await browser.newPage();
      const failures: string[] = [];
      page.on("pageerror", (error) => failures.push(error.message));
      const said = page.waitForEvent("console", (message) => message.type() === "info");
      const failed = page.waitForEvent("pageerror").then((error) => Promise.reject(error));
      await page.goto(origin);
      const text = (await Promise.race([said, failed])).text();
      expect(text).toContain("3 DAOs as of 2026-03-31T23:59:59.999Z, by method 1.0.0\n1. Tidewater: 7.25\n");
      expect(text).toContain("asked again: 3 DAOs, kept from before");
      const answered = proxy.logLines.map((line) => JSON.parse(line)).filter(({ keyId }) => keyId);
      expect(answered.map(({ status }) => status)).toEqual([503, 200, 304]);
      expect(proxy.usedBy("pro")).toBe(1);
    });
  },
);
