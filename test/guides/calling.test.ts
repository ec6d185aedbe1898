import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_CODES, PROBLEMS } from "../../proxy/request/problems.ts";
import { createListeningProxy, type ListeningProxy } from "../proxy/support/listening-proxy.ts";
import { temporaryFolder } from "../proxy/support/temporary-folder.ts";
import { PROJECT } from "../rules/source-files.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { publishFixture } from "../support/published-set.ts";
import { placeOf } from "./production/front-server.ts";

const PAGE = readFileSync(join(PROJECT, "proxy/CALLING.md"), "utf8");
const EXAMPLE = fileURLToPath(new URL("./calling-example.ts", import.meta.url));
const folder = temporaryFolder();

/** The one block of the page in this language. */
function blockOf(language: string): string {
  const [block, ...others] = [
    ...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
  ];
  if (block?.[1] === undefined || others.length > 0) throw new Error(`not one block of ${language}`);
  return block[1];
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let proxy: ListeningProxy;
const failedOnce = new Set<string>();

/** Runs a program as a caller with the key of this tier, in an empty folder. */
function runAs(
  tier: "free" | "pro" | "enterprise",
  program: string,
  args: readonly string[],
): Promise<Ended> {
  const env = {
    PATH: process.env["PATH"],
    GOVDATA_URL: `http://127.0.0.1:${proxy.port}`,
    GOVDATA_KEY: proxy.keys[tier],
  };
  return new Promise((resolve) => {
    const options = { cwd: mkdtempSync(join(folder, "caller-")), env, timeout: 500_000 };
    execFile(program, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

beforeAll(async () => {
  const published = join(folder, "published");
  await publishFixture(published);
  proxy = await createListeningProxy({
    folder,
    published,
    // The first question of each account meets a store that is down.
    quota: (real) => ({
      ...real,
      charge: (request) => {
        if (failedOnce.has(request.account)) return real.charge(request);
        failedOnce.add(request.account);
        return Promise.reject(new Error("down, once"));
      },
    }),
  });
});
afterAll(() => proxy.close());

/** What the server saw of an account: a failure, a whole answer, and one that was not sent again. */
function expectSeen(tier: "free" | "pro" | "enterprise"): void {
  const keyId = proxy.store.keys().find(({ account }) => account === tier)?.keyId;
  const statuses = proxy.logLines
    .map((line) => JSON.parse(line))
    .filter((line) => line.keyId === keyId)
    .map(({ status }) => status);
  expect(statuses).toEqual([503, 200, 304]);
  expect(proxy.usedBy(tier), "200 and 304 cost a unit each, 503 none").toBe(2);
}

describe.concurrent("an example of the guide runs as it stands, waits for a 503, and is told 304", () => {
  it.skipIf(placeOf("curl") === undefined || placeOf("jq") === undefined)(
    "curl (needs curl, jq)",
    async () => {
      const end = await runAs("free", "sh", ["-euc", blockOf("sh")]);
      expect(end.code, end.stderr).toBe(0);
      expect(end.stdout).toMatch(/^200\n304\nx-ratelimit-remaining: 98\r?\n1\ttidewater\.example\t7\.25\n/);
      expectSeen("free");
    },
  );

  it("TypeScript", async () => {
    const end = await runAs("pro", process.execPath, [compileCopy(EXAMPLE)]);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toContain(
      "3 DAOs as of 2026-03-31T23:59:59.999Z, by method 1.0.0\n1. Tidewater: 7.25\n",
    );
    expect(end.stdout).toContain("asked again: 3 DAOs, kept from before\n");
    expectSeen("pro");
  });

  it.skipIf(placeOf("python3") === undefined)("Python (needs python3)", async () => {
    const script = join(folder, "example.py");
    writeFileSync(script, blockOf("python"));
    const end = await runAs("enterprise", "python3", [script]);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toContain("3 DAOs as of 2026-03-31T23:59:59.999Z\n1. Tidewater: 7.25\n");
    expect(end.stdout).toContain("asked again: 3 DAOs, kept from before\n");
    expectSeen("enterprise");
  });
});

it("the TypeScript of the guide is the file that is run and type-checked, but for where its shapes come from", () => {
  const example = readFileSync(EXAMPLE, "utf8");
  expect(blockOf("ts")).toBe(example.replace('"../../snapshots/format/index.ts"', '"govdata/format"'));
});

describe("what the guide says of the server", () => {
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, key = proxy.keys.pro) =>
    proxy.ask(path, { key, headers });

  it("each status a caller can get has its line", () => {
    const [, failures = ""] = PAGE.split("## When it fails");
    const statuses = [...new Set(Object.values(PROBLEMS).map(({ status }) => status))];
    for (const status of statuses)
      expect(failures, `${status}`).toMatch(new RegExp(`^\\| [^|]*\\b${status}\\b`, "m"));
    for (const code of PAGE.match(/`(?!GOVDATA_)[A-Z]+(_[A-Z]+)+`/g) ?? [])
      expect(ERROR_CODES, code).toContain(code.replaceAll("`", ""));
  });

  it.each([
    { why: "a document", path: "/v1/daos", cache: "private, no-cache", hasEtag: true },
    {
      why: "an entity",
      path: "/v1/entities/ent_0000000000000000000lantern",
      cache: "private, no-store",
      hasEtag: false,
    },
    { why: "an error", path: "/v1/daos/nobody.example", cache: "private, no-store", hasEtag: false },
  ])("may be kept or not: $why", async ({ path, cache, hasEtag }) => {
    const { headers } = await ask(path);
    expect(headers["cache-control"]).toBe(cache);
    expect(headers["etag"] !== undefined).toBe(hasEtag);
    expect(PAGE).toContain(`\`${cache}\``);
  });

  it.each([
    { why: "200", path: "/v1/dgi", headers: {}, status: 200, costs: 1 },
    { why: "304", path: "/v1/dgi", headers: { "if-none-match": "*" }, status: 304, costs: 1 },
    { why: "a wrong parameter", path: "/v1/daos?category=x", headers: {}, status: 400, costs: 1 },
    { why: "nothing there", path: "/v1/daos/nobody.example", headers: {}, status: 404, costs: 1 },
    { why: "who is ready", path: "/readyz", headers: {}, status: 200, costs: 0 },
  ])("costs $costs: $why", async ({ path, headers, status, costs }) => {
    failedOnce.add("pro");
    const before = proxy.usedBy("pro");
    const answer = await ask(path, headers);
    expect(answer.status).toBe(status);
    expect(proxy.usedBy("pro") - before).toBe(costs);
    const told = Object.keys(answer.headers).filter((name) => name.includes("ratelimit"));
    expect(told.sort()).toEqual(
      costs === 0
        ? []
        : [
            "ratelimit",
            "ratelimit-policy",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
          ],
    );
    for (const name of told) expect(PAGE.toLowerCase()).toContain(`\`${name}\``);
  });

  it("/readyz names the version that each answer names", async () => {
    const { version } = JSON.parse((await proxy.ask("/readyz")).body);
    const named = await ask("/v1/dgi");
    expect(named.headers["x-snapshot-version"]).toBe(version);
    const kept = await ask("/v1/dgi", { "if-none-match": String(named.headers["etag"]) });
    expect([kept.status, kept.headers["x-snapshot-version"]]).toEqual([304, version]);
  });
});
