import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_CODES, PROBLEMS } from "../../proxy/request/problems.ts";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { createListeningProxy, type ListeningProxy } from "../proxy/support/listening-proxy.ts";
import { temporaryFolder } from "../proxy/support/temporary-folder.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { publishFixture } from "../support/published-set.ts";
import { blocksOf, needs, textOf } from "./guide.ts";

const PAGE = textOf("proxy/CALLING.md");
const EXAMPLE = fileURLToPath(new URL("./calling-example.ts", import.meta.url));
const folder = temporaryFolder();

/** The one block of the page in this language. */
function blockOf(language: string): string {
  const [block, ...others] = blocksOf(PAGE, language);
  if (block === undefined || others.length > 0) throw new Error(`not one block of ${language}`);
  return block;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let proxy: ListeningProxy;
const failedOnce = new Set<string>();

/** Runs a program as a caller with the key of this tier, in an empty folder. */
function runAs(tier: AccessTier, program: string, args: readonly string[]): Promise<Ended> {
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
function expectSeen(tier: AccessTier): void {
  const keyId = proxy.store.keys().find(({ account }) => account === tier)?.keyId;
  const statuses = proxy.logLines
    .map((line) => JSON.parse(line))
    .filter((line) => line.keyId === keyId)
    .map(({ status }) => status);
  expect(statuses).toEqual([503, 200, 304]);
  expect(proxy.usedBy(tier), "the 200 costs a unit, 503 and 304 none").toBe(1);
}

describe.concurrent("an example of the guide runs as it stands, waits for a 503, and is told 304", () => {
  it.skipIf(needs("curl", "jq").isMissing)("curl (needs curl, jq)", async () => {
    const end = await runAs("free", "sh", ["-euc", blockOf("sh")]);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toMatch(/^200\n304\nx-ratelimit-remaining: 99\r?\n1\ttidewater\.example\t7\.25\n/);
    expectSeen("free");
  });

  it("TypeScript", async () => {
    const end = await runAs("pro", process.execPath, [compileCopy(EXAMPLE)]);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toContain(
      "3 DAOs as of 2026-03-31T23:59:59.999Z, by method 1.0.0\n1. Tidewater: 7.25\n",
    );
    expect(end.stdout).toContain("asked again: 3 DAOs, kept from before\n");
    expectSeen("pro");
  });

  it.skipIf(needs("python3").isMissing)("Python (needs python3)", async () => {
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
  const example = textOf("test/guides/calling-example.ts");
  expect(blockOf("ts")).toBe(example.replace('"../../snapshots/format/index.ts"', '"govdata/format"'));
});

it("each status a caller can get has its line", () => {
  const [, failures = ""] = PAGE.split("## When it fails");
  const statuses = [...new Set(Object.values(PROBLEMS).map(({ status }) => status))];
  for (const status of statuses)
    expect(failures, `${status}`).toMatch(new RegExp(`^- \\*\\*[^*]*\\b${status}\\b`, "m"));
  for (const code of PAGE.match(/`(?!GOVDATA_)[A-Z]+(_[A-Z]+)+`/g) ?? [])
    expect(ERROR_CODES, code).toContain(code.replaceAll("`", ""));
});
