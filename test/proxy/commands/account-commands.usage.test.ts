import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDays } from "../../../proxy/quota/sqlite/edit-counts.ts";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { commitRequests } from "../../support/commit-requests.ts";
import { REDIS_SERVER, type RedisServer, startRedisServer } from "../../support/redis-server.ts";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { openCounter } from "../fleet/quota/counters-in-redis.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

/** A home, a way to count in it, and a way to lose what was counted. */
interface Stand {
  readonly run: (line: string) => Promise<{ code: number; stdout: string; stderr: string }>;
  readonly charge: (account: string, limit: number) => Promise<string>;
  readonly lose: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const nowMs = () => Date.now();

function commandsIn(home: string, environment: Readonly<Record<string, string>>): Stand["run"] {
  return async (line) => {
    return runProxyCommand(["--home", home, ...line.split(" ")], { environment, nowMs });
  };
}

const newHome = () => mkdtempSync(join(folder, "home-"));
const today = () => new Date().toISOString().slice(0, 10);

async function inFile(): Promise<Stand> {
  const home = newHome();
  const path = join(home, "quota.db");
  let ledger = openQuotaLedger(path);
  return {
    run: commandsIn(home, {}),
    charge: async (account, limit) => {
      const [answer] = commitRequests(ledger, [{ account, day: today(), limit }]);
      return `${answer?.isGranted === true ? "granted" : "refused"} ${answer?.remaining}`;
    },
    // A restore closes the day; its counter lacks what was granted since the backup.
    lose: async () => {
      ledger.close();
      closeDays(path, today());
      ledger = openQuotaLedger(path);
    },
    close: async () => ledger.close(),
  };
}

async function inRedis(server: RedisServer): Promise<Stand> {
  const home = newHome();
  const counter = await openCounter(server.url, { folder, home });
  const charge: Stand["charge"] = async (account, limit) => {
    let word = await counter.told(account, limit);
    while (word === "QUOTA_DATA_LOST") {
      await new Promise((resolve) => setTimeout(resolve, 5));
      word = await counter.told(account, limit);
    }
    return word;
  };
  return {
    run: commandsIn(home, { GOVDATA_QUOTA: server.url }),
    charge,
    lose: async () => {
      const counts = (await server.ask("KEYS", "govdata:quota:*")) as string[];
      await server.ask("DEL", "govdata:guard", ...counts);
      await charge("nobody", 1);
    },
    close: counter.close,
  };
}

const STORES = ["a file", "Redis"] as const;

describe.each(STORES)("account usage, counted in %s", (store) => {
  let server: RedisServer;
  let setup: Stand;
  const isSkipped = store === "Redis" && REDIS_SERVER === undefined;
  beforeAll(async () => {
    if (isSkipped) return;
    if (store === "Redis") server = await startRedisServer();
    setup = store === "Redis" ? await inRedis(server) : await inFile();
    await setup.run("account create acme --tier free");
    await setup.run("account create other --tier free");
  });
  afterAll(async () => {
    await setup?.close();
    await server?.remove();
  });

  it.skipIf(isSkipped)("tells and sets the count of today, in the same words", async () => {
    for (let turn = 0; turn < 3; turn += 1) await setup.charge("acme", 100);
    const [row] = JSON.parse((await setup.run("account usage acme --json")).stdout);
    expect(row).toMatchObject({ account: "acme", day: today(), used: 3, limit: 100, remaining: 97 });
    const set = await setup.run("account usage acme --set 40 --json");
    expect(set.stderr).toBe(`the count of account acme on ${today()} is now 40; it was 3\n`);
    expect(JSON.parse(set.stdout)[0]).toMatchObject({ used: 40, remaining: 60 });
    expect(await setup.charge("acme", 100)).toBe("granted 59");
  });

  it.skipIf(isSkipped)("opens a closed day for one account, and for no other", async () => {
    await setup.lose();
    expect(await setup.charge("acme", 100)).toBe("refused 0");
    const closed = await setup.run("account usage acme");
    expect(closed.stderr).toMatch(/^since .* every account is at its limit until /);
    const set = await setup.run("account usage acme --set 70");
    expect([set.code, set.stderr]).toEqual([
      0,
      expect.stringMatching(/^the count of account acme on \S+ is now 70; it was \d+\n$/),
    ]);
    let word = "";
    for (let turn = 0; turn < 52 && !word.startsWith("granted"); turn += 1)
      word = await setup.charge("acme", 100);
    expect(word).toBe("granted 29");
    expect(await setup.charge("other", 100)).toBe("refused 0");
    expect((await setup.run("account usage other")).stderr).toMatch(/every account is at its limit until/);
  });

  it.skipIf(isSkipped).each([
    { why: "no number", line: "acme --set many", code: 2, says: "--set is not a whole number" },
    { why: "below none", line: "acme --set=-1", code: 2, says: "--set is not a whole number" },
    { why: "a part of one", line: "acme --set 1.5", code: 2, says: "--set is not a whole number" },
    { why: "beyond all limits", line: "acme --set 1000000001", code: 2, says: "to 1000000000" },
    { why: "nobody's", line: "nobody --set 1", code: 1, says: "account list" },
  ])("refuses a count that is $why, and changes nothing", async ({ line, code, says }) => {
    const before = (await setup.run("account usage acme --json")).stdout;
    const end = await setup.run(`account usage ${line}`);
    expect([end.code, end.stdout]).toEqual([code, ""]);
    expect(end.stderr).toContain(says);
    expect((await setup.run("account usage acme --json")).stdout).toBe(before);
  });
});
