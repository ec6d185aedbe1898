import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { JSDOM } from "jsdom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiText } from "../../../proxy/openapi/openapi-document.ts";
import { openApiViolations } from "../../support/openapi-validator.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { comparable, createTestProxy, type TestProxy } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const installed = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const LICENCES = "swagger-ui-bundle.js.LICENSE.txt";
let proxy: TestProxy;
let page: string;
let names: readonly string[];

beforeAll(async () => {
  // Without a snapshot: reading about the API needs no data.
  proxy = await createTestProxy({ folder });
  page = (await proxy.ask("/docs")).body;
  names = [...page.matchAll(/(?:src|href)="docs\/([^"]+)"/g)].map(([, name = ""]) => name);
});
afterAll(() => proxy.close());

/** Name of a file of the page without the hash in it. */
const stem = (name: string) => name.replace(/-[0-9a-f]{16}\./, ".");

describe("/docs", () => {
  it("is a page that may load this server's files and nothing else, and run nothing that stands in it", async () => {
    const answer = await proxy.ask("/docs");
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    });
    const policy = answer.headers["content-security-policy"]?.split("; ");
    expect(policy?.sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<base|https?:|\/\//i);
    expect(page.match(/<script\b[^>]*>[^<]/)).toBeNull();
  });

  it("names files that are there, and without JavaScript the document itself", async () => {
    expect(names.map(stem).sort()).toEqual([
      "icon.png",
      "initializer.js",
      "layout.css",
      "swagger-ui-bundle.js",
      LICENCES,
      "swagger-ui.css",
    ]);
    expect(page).toMatch(/<noscript>.*href="openapi\.json".*<\/noscript>/s);
    for (const name of names) expect((await proxy.ask(`/docs/${name}`)).status, name).toBe(200);
  });

  it.each([
    { name: "swagger-ui.css", file: "swagger-ui.css", type: "text/css; charset=utf-8" },
    { name: "swagger-ui-bundle.js", file: "swagger-ui-bundle.js", type: "text/javascript; charset=utf-8" },
    { name: "icon.png", file: "favicon-32x32.png", type: "image/png" },
    { name: LICENCES, file: LICENCES, type: "text/plain; charset=utf-8" },
  ])("serves $name as it is installed, to keep for good; HEAD alike, 304 to whoever has it", async (row) => {
    const target = `/docs/${names.find((name) => stem(name) === row.name)}`;
    const answer = await proxy.ask(target);
    expect(answer.bytes.equals(readFileSync(join(installed, row.file)))).toBe(true);
    expect(answer.headers).toMatchObject({
      "content-type": row.type,
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
    const head = await proxy.ask(target, { method: "HEAD" });
    expect(comparable(head)).toEqual({ ...comparable(answer), body: "" });
    const again = await proxy.ask(target, { headers: { "if-none-match": answer.headers["etag"] ?? "" } });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    const { status, headers, bytes: body } = answer;
    expect(openApiViolations({ method: "GET", target, status, headers, body })).toEqual([]);
  });

  it.each([
    "/docs/",
    "/docs/nothing.js",
    "/docs/swagger-ui.css",
    "/docs/swagger-ui-bundle.js.map",
    "/docs/..%2fpackage.json",
    "/docs/..%2f..%2f..%2fetc%2fpasswd",
    "/docs/__proto__",
    "/docs/a/b",
  ])("%s is a plain 404", async (target) => {
    const answer = await proxy.ask(target);
    expect([answer.status, answer.code, answer.headers["cache-control"]]).toEqual([
      404,
      "NOT_FOUND",
      "private, no-store",
    ]);
  });

  it("starts Swagger UI on this server's document, keeps no key and asks no other host", async () => {
    const script = /src="(docs\/initializer-[^"]+)"/.exec(page)?.[1];
    const { body } = await proxy.ask(`/${script}`);
    const calls: unknown[] = [];
    const { window } = new JSDOM("");
    const matchMedia = () => ({ matches: true, addEventListener: () => {} });
    const SwaggerUIBundle = (given: unknown) => calls.push(given);
    const { document, MutationObserver } = window;
    runInNewContext(body, { window: { matchMedia, SwaggerUIBundle }, document, MutationObserver });
    expect(document.documentElement.className).toBe("dark-mode");
    expect(calls).toMatchObject([
      {
        url: "openapi.json",
        dom_id: "#documentation",
        supportedSubmitMethods: ["get"],
        persistAuthorization: false,
        queryConfigEnabled: false,
        withCredentials: false,
        validatorUrl: null,
      },
    ]);
    expect(page).toContain('<div id="documentation">');
  });

  it("costs nothing and looks at no key", async () => {
    for (const key of [undefined, "wrong", proxy.keys.free]) {
      const answer = await proxy.ask("/docs", { key });
      expect(comparable(answer)).toEqual(comparable(await proxy.ask("/docs")));
      expect(answer.headers).not.toHaveProperty("x-ratelimit-limit");
    }
    expect(proxy.usedBy("free")).toBe(0);
  });
});

describe("/openapi.json", () => {
  it("is what the command prints, under an ETag, with or without a key", async () => {
    const answer = await proxy.ask("/openapi.json", { key: "wrong" });
    expect(answer.body).toBe(openApiText());
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
    const headers = { "if-none-match": answer.headers["etag"] ?? "" };
    expect((await proxy.ask("/openapi.json", { headers })).status).toBe(304);
    const packed = await proxy.ask("/openapi.json", { headers: { "accept-encoding": "br" } });
    expect(packed.headers["content-encoding"]).toBe("br");
    expect(packed.headers["etag"]).not.toBe(answer.headers["etag"]);
    expect(packed.bytes.length).toBeLessThan(answer.bytes.length / 10);
  });
});
