import { existsSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openKeyStore } from "../../../proxy/keys/key-store.ts";
import { countKey } from "../../../proxy/quota/redis/quota-scripts.ts";
import { closeDays, setCount } from "../../../proxy/quota/sqlite/edit-counts.ts";
import { openQuotaLedger } from "../../../proxy/quota/sqlite/quota-ledger.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { REDIS_SERVER } from "../../support/redis-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { grantIn } from "./backup-stand.ts";
import { redisStand } from "./redis-stand.ts";

const folder = temporaryFolder();
describe.skipIf(REDIS_SERVER === undefined)("move", () => {
  const { server, host } = redisStand(folder);

  /** A home with two accounts, of which one has used 3 units today and 2 yesterday. */
  const lived = async () => {
    const from = host("files");
    const day = dayOf(Date.now());
    const key = (await from.run("key create --account acme --tier pro")).stdout.trim();
    await from.run("account create idle --tier free");
    grantIn(from.home, 2, { day: dayOf(Date.now() - DAY_MS) });
    grantIn(from.home, 3, { day });
    const usedOf = async (account: string) => {
      const used = await server().ask("HGET", countKey(account, day), "used");
      return used === null ? undefined : Number(used);
    };
    const move = (quota = server().url) => from.run("move", { quota });
    return { ...from, key, day, usedOf, move };
  };

  it("brings accounts, keys, peppers and today's counts, and sets the files aside", async () => {
    const { home, run, key, day, usedOf, move } = await lived();
    const before = (await run("--json key list")).stdout;
    const accounts = (await run("--json account list")).stdout;
    const end = await move();
    expect(end, end.stderr).toMatchObject({ code: 0, stdout: "" });
    expect(end.stderr).toContain(`moved accounts: 2, keys: 1\nmoved counts of ${day}: 1;`);
    expect(end.stderr).toContain("keys.db.moved and quota.db.moved");
    const quota = server().url;
    expect((await run("--json key list", { quota })).stdout).toBe(before);
    expect((await run("--json account list", { quota })).stdout).toBe(accounts);
    expect((await run("key find", { quota, stdin: key })).stdout).toContain("acme");
    expect(await run("key create --account acme", { quota })).toMatchObject({ code: 0 });
    expect(await usedOf("acme")).toBe(3);
    expect(readdirSync(home).sort()).toEqual(["keys.db.moved", "pepper", "quota-epoch", "quota.db.moved"]);
  });

  it("leaves a home in which nothing goes on with files", async () => {
    const { home, run, move } = await lived();
    await move();
    for (const line of [
      "key list",
      "key create --account acme",
      "account create x --tier free",
      "serve --port 0",
    ]) {
      const end = await run(line);
      expect(end, line).toMatchObject({ code: 1, stdout: "" });
      expect(end.stderr).toContain("are in Redis, but GOVDATA_QUOTA is not set.\nSet GOVDATA_QUOTA");
    }
    expect(existsSync(join(home, "keys.db"))).toBe(false);
  });

  it("is refused where there are keys in Redis, and nothing is changed on either side", async () => {
    const { home, run, usedOf, move } = await lived();
    await host("redis").run("account create first --tier free");
    const end = await move();
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("a move overwrites nothing") });
    expect(await usedOf("acme")).toBeUndefined();
    expect((await run("key list")).stdout).toContain("acme");
    expect(readdirSync(home)).toContain("quota.db");
  });

  it.each([
    { why: "the counter", open: (home: string) => openQuotaLedger(join(home, "quota.db")) },
    { why: "the keys", open: (home: string) => openKeyStore(join(home, "keys.db"), 100) },
  ])("is refused while a server has $why open, and goes through when it is stopped", async ({ open }) => {
    const { home, move } = await lived();
    const opened = open(home);
    const during = await move();
    opened.close();
    expect(during.stderr).toMatch(/in use|another command is writing/);
    expect(during.code).toBe(1);
    expect(await server().ask("EXISTS", "govdata:{keys}:revision")).toBe(0);
    const after = await move();
    expect(after, after.stderr).toMatchObject({ code: 0 });
  });

  it.each([
    { why: "before anything was set aside", aside: [] },
    { why: "between the two files", aside: ["keys.db"] },
    { why: "before the book was begun", aside: ["keys.db", "quota.db"] },
  ])("that was cut off $why goes on when it is given again", async ({ aside }) => {
    const { home, run, usedOf, move } = await lived();
    for (const name of aside) {
      renameSync(join(home, name), join(home, `${name}.moved`));
      if (name === "keys.db") expect((await run("serve --port 0")).code, "nothing serves meanwhile").toBe(1);
    }
    const end = await move();
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(await usedOf("acme")).toBe(3);
    expect((await run("account list", { quota: server().url })).stdout).toMatch(/acme.*\n.*idle/);
  });

  it("counts every account as at its limit where a restore has closed the day", async () => {
    const { home, run, usedOf, day, move } = await lived();
    await run("account create told --tier free");
    closeDays(join(home, "quota.db"), day);
    setCount(join(home, "quota.db"), { account: "told", day, used: 7 });
    const end = await move();
    expect(end.stderr).toContain(
      "that day was closed by a restore, so every account is at its limit in Redis too",
    );
    expect([await usedOf("acme"), await usedOf("idle")]).toEqual([10_000, 100]);
    expect(await usedOf("told"), "set by an operator since").toBe(7);
  });

  it("gives no unit a second time where Redis has counted more already", async () => {
    const { usedOf, day, move } = await lived();
    await server().ask("HSET", countKey("acme", day), "used", 50);
    await server().ask("HSET", countKey("idle", day), "used", 1);
    expect(await move()).toMatchObject({ code: 0 });
    expect([await usedOf("acme"), await usedOf("idle")]).toEqual([50, 1]);
  });

  it("is refused where Redis' clock is behind what was counted here", async () => {
    const { home, usedOf, move } = await lived();
    grantIn(home, 1, { day: dayOf(Date.now() + 2 * DAY_MS) });
    const end = await move();
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("Redis' clock says") });
    expect(await usedOf("acme")).toBeUndefined();
    expect(readdirSync(home)).toContain("keys.db");
  });

  it("is refused where the counts in Redis are none of this program's", async () => {
    const { home, move } = await lived();
    await server().ask("HSET", "govdata:guard", "epoch", "zz");
    const end = await move();
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("error: Counts in Redis: ") });
    expect(end.stderr).not.toContain("defect");
    expect(readdirSync(home)).toContain("keys.db");
  });

  it.each([
    {
      why: "no home",
      make: () => join(mkdtempSync(join(folder, "none-")), "home"),
      says: "There is no home with keys",
    },
    {
      why: "a home without an account",
      make: () => {
        const home = mkdtempSync(join(folder, "empty-"));
        openKeyStore(join(home, "keys.db"), 100).close();
        return home;
      },
      says: "There is no account in",
    },
    {
      why: "something that is no store",
      make: () => {
        const home = mkdtempSync(join(folder, "odd-"));
        writeFileSync(join(home, "keys.db"), "not a database, but long enough to be looked at".repeat(50));
        return home;
      },
      says: "it is not a database",
    },
  ])("has nothing to move: $why", async ({ make, says }) => {
    const end = await host("redis").run(`--home ${make()} move`);
    expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(says) });
    expect(end.stderr).not.toContain("defect");
    expect(await server().ask("DBSIZE")).toBe(0);
  });

  it("needs to be told where to", async () => {
    const { run } = await lived();
    expect(await run("move")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("GOVDATA_QUOTA is not set"),
    });
  });

  it("brings a home that never counted, and then no counts", async () => {
    const { run } = host("files");
    await run("key create --account acme --tier pro");
    const end = await run("--json move", { quota: server().url });
    expect(JSON.parse(end.stdout)).toEqual({ accounts: 1, keys: 1, counted_day: null, counted_accounts: 0 });
  });

  it("brings a backup of Redis back into one that lost everything", async () => {
    const { run } = host("redis");
    await run("key create --account acme --tier pro");
    const list = (await run("--json key list")).stdout;
    const backup = join(folder, "of-all");
    await run(`backup ${backup}`);
    await server().ask("FLUSHALL");
    const again = host("redis");
    expect(await again.run(`restore ${backup}`)).toMatchObject({ code: 0 });
    const end = await again.run("move");
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(end.stderr).toContain("every account is at its limit in Redis too");
    expect((await run("--json key list")).stdout).toBe(list);
  });
});
