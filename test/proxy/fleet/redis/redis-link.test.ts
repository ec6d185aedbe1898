import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  openRedisLink,
  type RedisLink,
  type RedisScript,
  redisScript,
} from "../../../../proxy/fleet/redis/redis-link.ts";
import type { StoreFailure } from "../../../../proxy/fleet/redis/store-failure.ts";
import { errorCode, Failure } from "../../../../snapshots/base/failure.ts";
import { REDIS_SERVER, startRedisServer } from "../../../support/redis-server.ts";
import { sharedRedis } from "../../../support/shared-redis.ts";

const PASSWORD = "canary-of-the-password";

async function failureOf(promise: Promise<unknown>): Promise<{ code?: unknown; reason?: unknown }> {
  return promise.then(
    () => ({ code: "none" }),
    (error: StoreFailure) => Object.assign(error, { reason: errorCode(error.cause) }),
  );
}

/** Asks until it is answered well: for the way back, of which nobody says how long it takes. */
async function untilGood(link: RedisLink): Promise<readonly unknown[]> {
  for (;;) {
    try {
      return await link.call([["PING"]]);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe.skipIf(REDIS_SERVER === undefined)("openRedisLink (needs redis-server)", () => {
  const server = sharedRedis();
  const open = async (
    { scripts = [] as readonly RedisScript[], callTimeoutMs = 60_000 } = {},
    url = server().url,
  ): Promise<RedisLink> => {
    // Redis has as long as it needs on a busy machine, unless a test is about waiting.
    const link = await openRedisLink(url, scripts, callTimeoutMs);
    onTestFinished(link.close);
    return link;
  };

  it("answers in the order of the calls, of the database it was told", async () => {
    const link = await open({}, `${server().url}/3`);
    const replies = await link.call([
      ["SET", "a", 1],
      ["INCRBY", "a", 41],
      ["GET", "a"],
      ["GET", "nothing"],
    ]);
    expect(replies).toEqual(["OK", 42, "42", null]);
    expect(await server().ask("GET", "a")).toBeNull();
  });

  it("sends all in one write: nobody else's command comes between", async () => {
    const [one, other] = [await open(), await open()];
    const rounds = Array.from({ length: 50 }, (_, n) =>
      [one, other].map((link, who) =>
        link.call([
          ["SET", "who", `${who}-${n}`],
          ["GET", "who"],
        ]),
      ),
    );
    const replies = await Promise.all(rounds.flat());
    expect(replies.map(([, found]) => found)).toEqual(
      Array.from({ length: 100 }, (_, at) => `${at % 2}-${Math.floor(at / 2)}`),
    );
  });

  it("rejects as a whole where one call failed, and works on", async () => {
    const link = await open();
    const refused = link.call([
      ["SET", "b", "text"],
      ["INCR", "b"],
      ["GET", "b"],
    ]);
    expect(await failureOf(refused)).toMatchObject({ code: "REDIS_REFUSED", reason: "ERR" });
    expect(await link.call([["GET", "b"]])).toEqual(["text"]);
  });

  it("takes no late answer for another's: who waits too long is cut off, and the next gets its own", async () => {
    const link = await open({ callTimeoutMs: 500 });
    server().pause();
    const [first, second] = [link.call([["ECHO", "first"]]), link.call([["ECHO", "second"]])];
    expect([(await failureOf(first)).code, (await failureOf(second)).code]).toEqual([
      "REDIS_TIMEOUT",
      expect.stringMatching(/^REDIS_(TIMEOUT|AWAY)$/),
    ]);
    expect(await failureOf(link.call([["ECHO", "third"]]))).toMatchObject({ code: "REDIS_AWAY" });
    server().resume();
    await untilGood(link);
    expect(await link.call([["ECHO", "fourth"]])).toEqual(["fourth"]);
  });

  it("is not fooled by its own process being busy while the answer lies there", async () => {
    const link = await open({ callTimeoutMs: 20 });
    const answer = link.call([["ECHO", "there"]]);
    // The request is out at the end of this turn; the answer comes while this thread stands still.
    setImmediate(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500));
    expect(await answer).toEqual(["there"]);
  });

  it("rejects at once while nobody is there, and is back by itself with its scripts", async () => {
    const script = redisScript("return ARGV[1] .. KEYS[1]");
    const link = await open({ scripts: [script] });
    expect(await link.call([script.run(["k"], ["v"])])).toEqual(["vk"]);
    await server().kill();
    expect(await failureOf(link.call([["PING"]]))).toMatchObject({ code: "REDIS_AWAY" });
    await server().restart();
    await untilGood(link);
    expect(await link.call([script.run(["k"], ["v"])])).toEqual(["vk"]);
    await server().ask("SCRIPT", "FLUSH");
    expect(await failureOf(link.call([script.run(["k"], ["v"])]))).toMatchObject({ reason: "NOSCRIPT" });
    await untilGood(link);
    expect(await link.call([script.run(["k"], ["v"])]), "brought anew").toEqual(["vk"]);
  });

  it.each([
    ["appendonly", "no", "yes", "APPENDONLY_NOT_YES"],
    ["appendfsync", "everysec", "always", "APPENDFSYNC_NOT_ALWAYS"],
    ["no-appendfsync-on-rewrite", "yes", "no", "NO_APPENDFSYNC_ON_REWRITE_NOT_NO"],
    ["maxmemory-policy", "allkeys-lru", "noeviction", "MAXMEMORY_POLICY_NOT_NOEVICTION"],
  ])("refuses %s %s", async (setting, bad, good, reason) => {
    await server().ask("CONFIG", "SET", setting, bad);
    const refused = await failureOf(open());
    await server().ask("CONFIG", "SET", setting, good);
    expect(refused).toBeInstanceOf(Failure);
    expect(String(refused)).toContain(
      `Redis must have ${setting} ${good} (${reason}): 127.0.0.1:${server().port}`,
    );
    await expect(open()).resolves.toBeDefined();
  });

  it("refuses a replica, and a database that is not there", async () => {
    await server().ask("REPLICAOF", "127.0.0.1", 1);
    const refused = await failureOf(open());
    await server().ask("REPLICAOF", "NO", "ONE");
    expect(String(refused)).toContain("ROLE_NOT_MASTER");
    expect(await failureOf(open({}, `${server().url}/99`))).toMatchObject({ code: "STORE_UNUSABLE" });
  });

  it("refuses what came back with other settings, until it is right again", async () => {
    const link = await open();
    await server().kill();
    await server().restart({ appendfsync: "everysec" });
    let failure = await failureOf(link.call([["PING"]]));
    // It is away, then reads its files, and only then shows its settings.
    while (failure.code === "REDIS_AWAY" || Reflect.get(failure, "reason") === "LOADING") {
      await new Promise((resolve) => setTimeout(resolve, 10));
      failure = await failureOf(link.call([["PING"]]));
    }
    expect(failure).toMatchObject({ code: "REDIS_REFUSED", reason: "APPENDFSYNC_NOT_ALWAYS" });
    await server().ask("CONFIG", "SET", "appendfsync", "always");
    await untilGood(link);
  });

  it("tells nobody's password: not of a wrong one, not of a bad address, not of a call that fails", async () => {
    const locked = await startRedisServer({ requirepass: PASSWORD });
    try {
      const failures = [
        await failureOf(open({}, locked.url)),
        await failureOf(open({}, `redis://:wrong-${PASSWORD}@127.0.0.1:${locked.port}`)),
        await failureOf(open({}, `redis://:${PASSWORD}@127.0.0.1:${locked.port}/0?x=1`)),
        await failureOf(open({}, `redis://:${PASSWORD}@127.0.0.1:1`)),
      ];
      expect(failures.map(({ code }) => code)).toEqual([
        "STORE_UNUSABLE",
        "STORE_UNUSABLE",
        "BAD_OPTION",
        "STORE_UNUSABLE",
      ]);
      const link = await open({}, `redis://:${PASSWORD}@127.0.0.1:${locked.port}`);
      failures.push(await failureOf(link.call([["GET"]])));
      expect(failures.at(-1)).toMatchObject({ code: "REDIS_REFUSED" });
      expect(inspect(failures, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
    } finally {
      await locked.remove();
    }
  });
});
