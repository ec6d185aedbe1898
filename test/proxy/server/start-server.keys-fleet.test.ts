import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type CuttingProxy, startCuttingProxy } from "../../support/cutting-proxy.ts";
import { REDIS_SERVER, type RedisServer, startRedisServer } from "../../support/redis-server.ts";
import { type Fleet, laneTo, readinessOf, setFleet, until } from "../support/fleet-stage.ts";
import type { ProxyProcess } from "../support/proxy-process.ts";

/** What was promised: a revocation holds on every host within one second. */
const PROMISED_MS = 1_000;
const LANES = 8;

interface Told {
  readonly status: number;
  readonly sentAtMs: number;
}

/** Asks one proxy with one key on several connections, without a pause, until it is told to end. */
function load(proxy: ProxyProcess, key: string) {
  const answers: Told[] = [];
  let isOver = false;
  const runLane = async (): Promise<void> => {
    const lane = laneTo(proxy, key);
    while (!isOver) {
      const answer = await lane.ask();
      answers.push({ status: answer.status, sentAtMs: answer.sentAtMs });
      // A refusal takes nothing: without a pause it would be all that this machine does.
      if (answer.status !== 200) await sleep(5);
    }
    lane.close();
  };
  const lanes = Promise.all(Array.from({ length: LANES }, runLane));
  return {
    answers,
    end: async () => {
      isOver = true;
      await lanes;
    },
  };
}

const statuses = (answers: readonly Told[], fromMs: number) =>
  new Set(answers.filter(({ sentAtMs }) => sentAtMs >= fromMs).map(({ status }) => status));

describe.skipIf(REDIS_SERVER === undefined)(
  "two proxies with their keys in one Redis (needs redis-server)",
  () => {
    let server: RedisServer;
    let line: CuttingProxy;
    let fleet: Fleet;
    let near: ProxyProcess;
    let far: ProxyProcess;

    const newKey = async (account: string) => {
      const key = await fleet.makeKey(server.url, account, 100_000_000);
      const list: readonly { key_id: string; account: string }[] = JSON.parse(
        await fleet.command(server.url, "--json", "key", "list"),
      );
      return { key, keyId: list.find((row) => row.account === account)?.key_id ?? "" };
    };

    beforeAll(async () => {
      server = await startRedisServer();
      line = await startCuttingProxy(server.port);
      fleet = await setFleet();
      await fleet.makeKey(server.url, "first", 10);
      // The far one's line can be cut.
      [near, far] = await Promise.all([
        fleet.start(server.url),
        fleet.start(`redis://127.0.0.1:${line.port}`),
      ]);
    });
    afterEach(() => line.heal());
    afterAll(async () => {
      await fleet.end();
      await line.close();
      await server.remove();
    });

    it("let a revoked key in on neither, a second later, under load; and others all the time", async () => {
      const [gone, stays] = [await newKey("gone"), await newKey("stays")];
      for (const proxy of [near, far]) for (const { key } of [gone, stays]) await until(proxy, key, 200);
      const loads = [near, far].map((proxy) => ({
        revoked: load(proxy, gone.key),
        other: load(proxy, stays.key),
      }));
      const all = loads.flatMap(({ revoked, other }) => [revoked, other]);
      let heldFromMs: number;
      try {
        for (const { answers } of all) await expect.poll(() => statuses(answers, 0)).toContain(200);
        await fleet.command(server.url, "key", "revoke", gone.keyId);
        heldFromMs = Date.now() + PROMISED_MS;
        // A machine busy with something else may hold a proxy up until it answers 503; never until it lets in.
        for (const { revoked, other } of loads) {
          await expect.poll(() => statuses(revoked.answers, heldFromMs)).toContain(401);
          await expect.poll(() => statuses(other.answers, heldFromMs)).toContain(200);
        }
      } finally {
        for (const { end } of all) await end();
      }
      for (const { revoked, other } of loads) {
        expect(statuses(revoked.answers, heldFromMs)).not.toContain(200);
        expect(statuses(other.answers, 0)).not.toContain(401);
      }
    });

    it.each(["cut", "stall"] as const)(
      "let it in nowhere where the line of one is lost (%s) as well, and that one comes back by itself",
      async (loss) => {
        const [gone, stays] = [await newKey(`gone-${loss}`), await newKey(`stays-${loss}`)];
        for (const proxy of [near, far]) for (const { key } of [gone, stays]) await until(proxy, key, 200);
        const [atNear, atFar] = [load(near, gone.key), load(far, gone.key)];
        let heldFromMs: number;
        try {
          line[loss]();
          await fleet.command(server.url, "key", "revoke", gone.keyId);
          heldFromMs = Date.now() + PROMISED_MS;
          await expect.poll(() => statuses(atNear.answers, heldFromMs)).toContain(401);
          await expect.poll(() => statuses(atFar.answers, heldFromMs)).not.toEqual(new Set());
        } finally {
          await atNear.end();
          await atFar.end();
        }
        expect(statuses(atNear.answers, heldFromMs)).not.toContain(200);
        expect(statuses(atFar.answers, heldFromMs)).toEqual(new Set([503]));
        await expect.poll(() => readinessOf(far)).toContain("_DOWN");
        line.heal();
        await until(far, gone.key, 401);
        await until(far, stays.key, 200);
      },
    );

    it("answer nobody where Redis lost the keys, and say so; and no key is in any log", async () => {
      const { key } = await newKey("lost");
      for (const proxy of [near, far]) await until(proxy, key, 200);
      // The counts stay: what is lost is the keys.
      const names = (await server.ask("KEYS", "govdata:{keys}:*")) as string[];
      await server.ask("DEL", ...names);
      for (const proxy of [near, far]) {
        await until(proxy, key, 503);
        await expect.poll(() => readinessOf(proxy)).toContain("KEYS_DOWN");
        await expect.poll(() => proxy.log()).toContain("KEYS_LOST");
        expect(proxy.log()).not.toMatch(/gvk_(live|test)_/);
      }
      // Begun anew by a command, it is still not what they knew.
      const { key: later } = await newKey("anew");
      await sleep(500);
      for (const proxy of [near, far]) await until(proxy, later, 503);
    });
  },
);
