import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { runCli } from "../../proxy/cli.ts";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import { createOptOuts } from "../../snapshots/optouts/opt-out-store.ts";
import { commandPaths } from "../support/command-paths.ts";
import { publishFixture } from "../support/published-set.ts";
import { commandWorld, runProxyCommand } from "../support/run-in-process.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const folder = temporaryFolder();
const published = join(folder, "published");
const home = join(folder, "govdata", "proxy");
const NOW_MS = Date.parse("2026-04-01T12:00:00Z");
const ENTITY = `ent_${"0".repeat(26)}`;
const paths = (await commandPaths(runProxyCommand)).map((path) => path.join(" "));

/** The last key that was shown, as somebody holds it. */
let presented = "";

/** Runs one line; a server among them is told to stop as soon as it listens. */
async function run(line: string, columns?: number, more: Readonly<Record<string, string>> = {}) {
  const said = { stdout: "", stderr: "" };
  let stop = () => {};
  const code = await runCli(
    line.split(" "),
    commandWorld({
      stdout: {
        write(text) {
          said.stdout += text;
          presented = /gvk_\w+/.exec(text)?.[0] ?? presented;
          if (/listening|following/.test(text)) setImmediate(() => stop());
        },
        ...(columns === undefined ? {} : { columns }),
      },
      stderr: {
        write(text) {
          said.stderr += text;
        },
      },
      readLine: async () => presented,
      environment: {
        GOVDATA_PROXY_HOME: home,
        GOVDATA_SNAPSHOTS: published,
        GOVDATA_PROXY_DRAIN_SECONDS: "0",
        ...more,
      },
      nowMs: () => NOW_MS,
      onStopSignal: (told) => {
        stop = told;
        return () => {};
      },
    }),
  );
  return { code, ...said };
}

beforeAll(async () => {
  await publishFixture(published);
  mkdirSync(home, { recursive: true });
  // Only a server makes the counter.
  openQuotaLedger(join(home, "quota.db")).close();
  createOptOuts({ path: join(home, "..", "optouts.db"), mode: 0o600, randomBytes });
});

describe("--help", () => {
  it.each(paths)("of %s has an example that begins with it", async (path) => {
    const { code, stdout } = await run(`${path} --help`);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`\nExample:\n  govdata-proxy (--json )?${path}`));
  });
});

const Moment = z.iso.datetime();
const Account = z.strictObject({
  account: z.string(),
  tier: z.enum(ACCESS_TIERS),
  daily_limit: z.int(),
  created_at: Moment,
});
const Key = z.strictObject({
  key_id: z.string().regex(/^key_/),
  account: z.string(),
  environment: z.enum(["live", "test"]),
  state: z.string(),
  created_at: Moment,
  expires_at: Moment.nullable(),
  revoked_at: Moment.nullable(),
  pepper: z.int(),
});
const Found = z.strictObject({
  key_id: z.string().regex(/^key_/),
  account: z.string(),
  environment: z.enum(["live", "test"]),
  state: z.enum(["active", "expired", "revoked"]),
  since: Moment,
  successor: z.string().nullable(),
});
const NewKey = Key.extend({ key: z.string().regex(/^gvk_/) });
const Usage = z.strictObject({
  account: z.string(),
  day: z.iso.date(),
  used: z.int(),
  limit: z.int().nullable(),
  remaining: z.int().nullable(),
  resets_at: Moment.nullable(),
});
const Completion = z.strictObject({
  program: z.literal("govdata-proxy"),
  shell: z.literal("bash"),
  script: z.string(),
});
const OptOut = z.strictObject({
  opted_out_at: Moment,
  digest: z.string(),
  published_as: z.string().nullable(),
});
const OptOutDone = z.strictObject({ entity_id: z.string(), opted_out: z.boolean(), changed: z.boolean() });
const BackedUp = z.strictObject({ taken_at: Moment, accounts: z.int(), keys: z.int(), files: z.int() });
const Restored = z.strictObject({
  taken_at: Moment,
  accounts: z.int(),
  keys: z.int(),
  closed_through: z.iso.date().nullable(),
  has_pepper: z.boolean(),
});

describe("--json", () => {
  const keyId = async () => JSON.parse((await run("--json key list")).stdout).at(-1)?.key_id;
  /** In this order: each finds what the ones before it left. */
  const LINES: Readonly<
    Record<
      string,
      {
        readonly line: () => Promise<string> | string;
        readonly shape: z.ZodType;
      }
    >
  > = {
    "account create": { line: () => "account create acme --tier free", shape: Account },
    "account set": { line: () => "account set acme --tier pro", shape: Account },
    "account list": { line: () => "account list", shape: z.array(Account).min(1) },
    "account usage": { line: () => "account usage acme", shape: z.array(Usage).min(1) },
    "key create": { line: () => "key create --account acme --expires 2026-12-31", shape: NewKey },
    "key list": { line: () => "key list", shape: z.array(Key).min(1) },
    "key find": { line: () => "key find", shape: Found },
    "key rotate": { line: async () => `key rotate ${await keyId()}`, shape: NewKey },
    "key revoke": { line: async () => `key revoke ${await keyId()}`, shape: Key },
    "optout add": { line: () => `optout add ${ENTITY}`, shape: OptOutDone },
    "optout list": { line: () => "optout list", shape: z.array(OptOut).min(1) },
    "optout remove": { line: () => `optout remove ${ENTITY}`, shape: OptOutDone },
    backup: { line: () => `backup ${join(folder, "backup")}`, shape: BackedUp },
    restore: {
      line: () => `--home ${join(folder, "restored")} restore ${join(folder, "backup")}`,
      shape: Restored,
    },
    follow: {
      line: () => "follow https://127.0.0.1:1/published",
      shape: z.strictObject({ following: z.url(), copy: z.string() }),
    },
    completion: { line: () => "completion bash", shape: Completion },
    openapi: { line: () => "openapi", shape: z.looseObject({ openapi: z.string() }) },
    serve: {
      line: () => "serve --port 0",
      shape: z.strictObject({ listening: z.url(), admin: z.url().nullable() }),
    },
  };

  it("is tried for every command", () => {
    const ends = paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));
    expect(Object.keys(LINES).sort()).toEqual(ends.sort());
  });

  it.each(Object.entries(LINES))(
    "of %s prints the shape that is documented, and nothing else",
    async (_, given) => {
      const end = await run(`--json --no-color ${await given.line()}`);
      expect(end.code, end.stderr).toBe(0);
      expect(given.shape.safeParse(JSON.parse(end.stdout)).error).toBeUndefined();
    },
  );
});

describe("a terminal of 80 columns", () => {
  it("gets lists that fit, with ids and names whole; a pipe gets all of it", async () => {
    const account = `a-rather-long.name@${"x".repeat(10)}`;
    await run(`key create --account ${account} --tier pro --expires 2026-12-31`);
    const wide = await run("key list");
    expect(Math.max(...wide.stdout.split("\n").map((line) => line.length))).toBeGreaterThan(100);
    for (const line of ["key list", "account list", "optout list", `account usage ${account}`]) {
      const { stdout } = await run(line, 80);
      for (const shown of stdout.split("\n")) expect(shown.length, shown).toBeLessThanOrEqual(80);
    }
    const narrow = (await run("key list", 80)).stdout;
    for (const id of wide.stdout.match(/key_\w{12}/g) ?? ["none"]) expect(narrow).toContain(id);
    expect(narrow).toContain(account);
    expect(narrow).toContain("2027-01-01 00:00Z");
  });
});

describe("a slip of the hand", () => {
  it.each([
    { line: "srve", says: "Did you mean serve?" },
    { line: "key lst", says: "Did you mean list?" },
    { line: "key create --account a --teir pro", says: "Did you mean --tier?" },
  ])("$line: $says", async ({ line, says }) => {
    expect(await run(line)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(says) });
  });
});
