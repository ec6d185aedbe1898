import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { countKey } from "../../../../proxy/fleet/quota/quota-scripts.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { dayOf } from "../../../../snapshots/format/ids.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { hostsOnRedis } from "../../commands/hosts-on-redis.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { grantIn } from "./backed-up-home.ts";

const folder = temporaryFolder();

describe.skipIf(REDIS_SERVER === undefined)("restore into Redis", () => {
  const { server, host } = hostsOnRedis(folder);
  const day = dayOf(Date.now());
  let count = 0;
  let files: ReturnType<typeof host>;
  let key: string;
  let backup: string;
  /** A backup of files: two accounts, of which one used 3 units today and 2 yesterday. */
  beforeEach(async () => {
    files = host("files");
    count += 1;
    backup = join(folder, `backup-${count}`);
    key = (await files.run("key create --account acme --tier pro")).stdout.trim();
    await files.run("account create idle --tier free");
    grantIn(files.home, 2, { day: dayOf(Date.now() - DAY_MS) });
    grantIn(files.home, 3, { day });
    writeFileSync(join(files.home, "highest-sequence"), "7\n");
    await files.run(`backup ${backup}`);
  });
  const pepper = "of a test, and long enough to be taken".repeat(2);
  const used = async (account: string) => server().ask("HGET", countKey(account, day), "used");
  const usage = async ({ run }: Pick<typeof files, "run">, account: string) =>
    JSON.parse((await run(`--json account usage ${account}`)).stdout)[0];

  it("brings accounts, keys and the sequence, closes the day, and leaves a home that no file is used in", async () => {
    const { home, run } = host("redis");
    const end = await run(`--json restore ${backup}`);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(end.stdout)).toMatchObject({ accounts: 2, keys: 1, closed_through: day });
    expect(end.stderr).toContain("the pepper is missing");
    expect(end.stderr).toContain("delete keys-point in the home of every other host");
    for (const list of ["--json key list", "--json account list"])
      expect((await run(list)).stdout).toBe((await files.run(list)).stdout);
    expect(await usage({ run }, "acme")).toMatchObject({ remaining: 0 });
    await run("account usage acme --set 5");
    expect(await usage({ run }, "acme")).toMatchObject({ used: 5, remaining: 9_995 });
    expect(await usage({ run }, "idle")).toMatchObject({ remaining: 0 });
    expect(readdirSync(home).sort()).toEqual([
      ".restore-lock",
      "highest-sequence",
      "keys-point",
      "quota-epoch",
    ]);
    for (const line of ["key list", "account create x --tier free", "serve --port 0"])
      expect((await run(line, { quota: undefined })).stderr, line).toContain(
        "are in Redis, but GOVDATA_QUOTA",
      );
    expect(existsSync(join(home, "keys.db"))).toBe(false);
  });

  it("goes on with the backup's counts of today where told so; none that is higher in Redis falls", async () => {
    await server().ask("HSET", countKey("idle", day), "used", 50);
    const { run } = host("redis");
    const end = await run(`--json restore ${backup} --grant-today`);
    expect(JSON.parse(end.stdout)).toMatchObject({ closed_through: null });
    expect([await used("acme"), await used("idle")]).toEqual(["3", "50"]);
    expect(await usage({ run }, "acme")).toMatchObject({ used: 3, remaining: 9_997 });
  });

  it("brings a backup of Redis back, with the counts that Redis still has or with the day closed", async () => {
    const first = host("redis", { pepper });
    const made = (await first.run("key create --account new --tier pro")).stdout.trim();
    await server().ask("HSET", countKey("new", day), "used", 9);
    await first.run(`backup ${backup}-redis`);
    await server().ask("DEL", ...((await server().ask("KEYS", "govdata:{keys}*")) as string[]));
    const kept = host("redis", { pepper });
    expect(await kept.run(`restore ${backup}-redis --keep-quota`)).toMatchObject({ code: 0 });
    expect(await usage(kept, "new")).toMatchObject({ used: 9, remaining: 9_991 });
    expect((await kept.run("key find", { stdin: made })).stdout).toContain("new");
    await server().ask("FLUSHALL");
    expect(await first.run(`restore ${backup}-redis`)).toMatchObject({ code: 0 });
    expect(await usage(first, "new")).toMatchObject({ remaining: 0 });
  });

  it("goes through when it is run again after Redis refused it", async () => {
    const { run } = host("redis");
    await server().ask("CONFIG", "SET", "min-replicas-to-write", "1");
    const end = await run(`restore ${backup}`);
    await server().ask("CONFIG", "SET", "min-replicas-to-write", "0");
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("Redis refused (NOREPLICAS).") });
    expect(await run(`restore ${backup}`)).toMatchObject({ code: 0 });
  });

  it.each([
    {
      why: "Redis has keys",
      before: () => host("redis", { pepper }).run("key create --account first --tier pro"),
      says: "That Redis already has keys",
    },
    {
      why: "the home has databases",
      inHome: () => files.home,
      says: "This home already has databases",
    },
    {
      why: "Redis' clock is behind the backup",
      before: () => files.run(`backup ${backup}-later`, { aheadMs: 2 * DAY_MS }),
      from: "-later",
      says: "the backup was taken later",
    },
    {
      why: "another pepper is here",
      pepper,
      says: "with a different pepper than the one here",
    },
    {
      why: "the counts in Redis are of another program",
      before: () => server().ask("HSET", "govdata:guard", "epoch", "zz"),
      line: "--grant-today",
      says: "error: Counts in Redis: ",
    },
  ])("is refused where $why, and changes nothing", async ({ before, inHome, from = "", line, ...row }) => {
    await before?.();
    const there = (await host("redis").run("--json account list")).stdout;
    const { run } = host("redis", row.pepper === undefined ? {} : { pepper: row.pepper });
    const words = [
      ...(inHome ? ["--home", inHome()] : []),
      "restore",
      `${backup}${from}`,
      ...(line ? [line] : []),
    ];
    const end = await run(words.join(" "));
    expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(row.says) });
    expect((await host("redis").run("--json account list")).stdout).toBe(there);
    expect(await used("acme")).toBeNull();
    expect(await files.run("key find", { stdin: key })).toMatchObject({ code: 0 });
  });
});
