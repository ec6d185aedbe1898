import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REDIS_SERVER } from "../../support/redis-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hostsOnRedis, type Said } from "./hosts-on-redis.ts";

const folder = temporaryFolder();

/** The same wherever it was said: without what is made anew each time. */
function masked({ code, stdout, stderr }: Said) {
  const mask = (text: string) =>
    text
      .replace(/^created a pepper at .*\n/m, "")
      .replace(/key_\w{12}/g, "key_*")
      .replace(/gvk_(live|test)_\w{46}/g, "gvk_$1_*")
      .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "T");
  return { code, stdout: mask(stdout), stderr: mask(stderr) };
}

describe.skipIf(REDIS_SERVER === undefined)("commands on keys in Redis", () => {
  const { server, host } = hostsOnRedis(folder);

  it("begin no keys where a server of this home has seen others", async () => {
    const { home, run } = host("redis");
    await run("key create --account acme --tier pro");
    writeFileSync(join(home, "keys-point"), `1 ${"a".repeat(32)}\n`);
    expect((await run("key create --account acme")).code).toBe(0);
    await server().ask("FLUSHALL");
    const begun = await run("key create --account acme --tier pro");
    expect(begun).toMatchObject({ code: 1, stdout: "" });
    expect(begun.stderr).toMatch(/no keys in the Redis[\s\S]*keys-point/);
    expect(await server().ask("DBSIZE")).toBe(0);
  });

  it("say and do the same as on files, line for line", async () => {
    const script = async (where: "redis" | "files") => {
      const { run } = host(where);
      const said: unknown[] = [];
      const say = async (line: string, stdin?: string) => {
        const end = await run(line, stdin === undefined ? {} : { stdin });
        said.push([line.replace(/key_\w{12}/, "key_*"), masked(end)]);
        return end.stdout;
      };
      const key = (await say("key create --account acme --tier pro --expires 2099-12-31")).trim();
      const [{ key_id: keyId }] = JSON.parse((await run("--json key list")).stdout);
      await say("key create --account acme --tier free");
      await say("key create --account new");
      await say("key create --account big --tier enterprise --daily-limit 7 --test");
      await say("account create acme --tier pro");
      await say("account create other --tier gold");
      await say("account set big --tier pro");
      await say("account set nobody --tier pro");
      await say("account list");
      await say("--json account list");
      await say("key list");
      await say("key find", key);
      await say("key find", "gvk_live_mistyped");
      await say("key find", "");
      await say(`key rotate ${keyId} --grace 1h`);
      await say(`key rotate ${keyId}`);
      await say(`--json key revoke ${keyId}`);
      await say(`key revoke ${keyId}`);
      await say("key revoke key_unknown");
      await say("--json key find", key);
      await say("account usage nobody");
      return said;
    };
    const files = await script("files");
    expect(await script("redis")).toEqual(files);
    expect(files).toHaveLength(21);
  });

  it("of one host are seen on every other, which need no home of their own to ask", async () => {
    const [first, second] = [host("redis"), host("redis")];
    await first.run("key create --account acme --tier pro");
    const { stdout } = await second.run("--json key list");
    expect(JSON.parse(stdout)).toMatchObject([{ account: "acme", state: "active", pepper: 1 }]);
    const [{ key_id: keyId }] = JSON.parse(stdout);
    expect((await second.run(`key revoke ${keyId}`)).stderr).toContain("is revoked");
    expect((await first.run("key list")).stdout).toContain("revoked");
    expect(existsSync(second.home)).toBe(false);
    expect(existsSync(join(first.home, "keys.db"))).toBe(false);
  });

  it("make the pepper once, say where it is, and take no other", async () => {
    const [first, second, third] = [host("redis"), host("redis"), host("redis")];
    const made = await first.run("key create --account acme --tier pro");
    const path = join(first.home, "pepper");
    expect(made.stderr).toContain(`created a pepper at ${path}: copy it to every host`);
    const again = await second.run("key create --account acme");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(
      /^error: This host has no pepper. .*\nCopy it from a host that has it to .*pepper \(mode 600\)/,
    );
    const other = await third.run("key create --account acme", { pepper: "other".repeat(9) });
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("a different pepper than this host's"),
    });
    const key = await third.run("key find", { pepper: "other".repeat(9), stdin: made.stdout.trim() });
    expect(key).toMatchObject({ code: 1, stderr: expect.stringContaining("a different pepper") });
    writeFileSync(join(second.home, "pepper"), readFileSync(path), { mode: 0o600 });
    expect(await second.run("key create --account acme")).toMatchObject({ code: 0 });
    for (const { stderr } of [again, other, key]) expect(stderr).not.toContain("defect");
  });

  it.each([
    "key list",
    "account list",
    "key revoke key_a",
    "account set a --tier pro",
    "key find",
    "backup DIR",
  ])("that only ask or change begin nothing: %s", async (line) => {
    const { run, home } = host("redis");
    const end = await run(line.replace("DIR", join(folder, "never")), { stdin: "gvk_live_x" });
    expect(end).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("There are no keys in the Redis"),
    });
    expect(await server().ask("DBSIZE")).toBe(0);
    expect(existsSync(home)).toBe(false);
  });

  it.each([
    {
      why: "no address",
      quota: "http://127.0.0.1:1",
      code: 2,
      says: "GOVDATA_QUOTA is not the address of a Redis.",
    },
    {
      why: "nobody there",
      quota: "redis://user:hunter2@127.0.0.1:1",
      code: 1,
      says: "Redis cannot be reached",
    },
  ])("say what is wrong with where they should look: $why", async ({ quota, code, says }) => {
    const { run } = host("redis");
    const end = await run("key list", { quota });
    expect(end).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(says) });
    expect(end.stderr).not.toContain("hunter2");
    expect(end.stderr).not.toContain("defect");
  });

  it("answer also while no Redis takes writes, where they only ask", async () => {
    const { run } = host("redis");
    await run("key create --account acme --tier pro");
    await server().ask("CONFIG", "SET", "min-replicas-to-write", "1");
    try {
      expect(await run("key list")).toMatchObject({ code: 0 });
      const end = await run("account create other --tier free");
      expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("Redis refused (NOREPLICAS).") });
    } finally {
      await server().ask("CONFIG", "SET", "min-replicas-to-write", "0");
    }
    expect((await run("account list")).stdout).not.toContain("other");
  });

  it("back up the keys into files that go back into a home, or anywhere", async () => {
    const { run } = host("redis");
    const key = (await run("key create --account acme --tier pro")).stdout.trim();
    const backup = join(folder, "backup-of-redis");
    const taken = await run(`backup ${backup}`);
    expect(taken.stderr).toContain("backed up: keys.db (accounts: 1, keys: 1)");
    expect(taken.stderr).toContain("the counts are not included: Redis keeps them");
    const list = (await run("--json key list")).stdout;
    const later = host("files");
    expect(await later.run(`restore ${backup}`)).toMatchObject({ code: 0 });
    expect((await later.run("--json key list")).stdout).toBe(list);
    expect((await later.run("key find", { stdin: key })).stderr).toContain("pepper");
  });
});
