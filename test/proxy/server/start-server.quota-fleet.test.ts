import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chosenSeed, seededRandom } from "../../faults/seeded-random.ts";
import { type CuttingProxy, startCuttingProxy } from "../../support/cutting-proxy.ts";
import { REDIS_SERVER, type RedisServer, startRedisServer } from "../../support/redis-server.ts";
import {
  type Fleet,
  type FleetLane,
  laneTo,
  readinessOf,
  type Spent,
  setFleet,
  spend,
  until,
} from "../support/fleet-stage.ts";
import type { ProxyProcess } from "../support/proxy-process.ts";

const seed = chosenSeed();
const said = `FAULTS_SEED=${seed}`;
const CONNECTIONS = 200;

describe.skipIf(REDIS_SERVER === undefined)("four proxies on one Redis (needs redis-server)", () => {
  const random = seededRandom(seed);
  let server: RedisServer;
  let line: CuttingProxy;
  let fleet: Fleet;
  let proxies: ProxyProcess[];
  let accounts = 0;
  let cutUrl = "";

  const newAccount = async (limit: number) => {
    accounts += 1;
    const account = `fleet-${accounts}`;
    const key = await fleet.makeKey(server.url, account, limit);
    // Known to all of them before anybody is counted.
    for (const proxy of proxies) await until(proxy, key, 200);
    const asked = await used(account);
    return { key, account, limit, left: limit - asked };
  };
  /** The first answer that is no 503: on a busy machine Redis may not reply in time, and is asked again. */
  const answerOf = async (lane: FleetLane) => {
    for (;;) {
      const { status } = await lane.ask();
      if (status !== 503) return status;
    }
  };
  const used = async (account: string) => {
    const [name] = (await server.ask("KEYS", `govdata:quota:{${account}}:*`)) as string[];
    return Number((await server.ask("HGET", name ?? "none", "used")) ?? 0);
  };
  /** Asks until every proxy serves again. */
  const allServe = async () => {
    const { key } = await newAccount(1_000_000);
    for (const proxy of proxies) await until(proxy, key, 200);
  };

  beforeAll(async () => {
    server = await startRedisServer();
    line = await startCuttingProxy(server.port);
    fleet = await setFleet();
    cutUrl = `redis://127.0.0.1:${line.port}`;
    await fleet.makeKey(server.url, "first", 10);
    // Two of them are on the other side of a line that can be cut.
    proxies = await Promise.all([server.url, server.url, cutUrl, cutUrl].map((url) => fleet.start(url)));
  });
  afterAll(async () => {
    server.resume();
    await fleet.end();
    await line.close();
    await server.remove();
  });

  it.each([100, 10_000])("give exactly the limit to 200 connections: %i", async (limit) => {
    const { key, account, left } = await newAccount(limit);
    const { served, timedOut, refused, other } = await spend(proxies, key, { connections: CONNECTIONS });
    expect([refused, other]).toEqual([CONNECTIONS, []]);
    expect(await used(account)).toBe(limit);
    expect(served).toBeLessThanOrEqual(left);
    // On a quiet machine none times out, and these are the same.
    expect(served).toBeGreaterThanOrEqual(left - timedOut);
  });

  // Whatever is under way when connections end is counted for nobody, perhaps: one unit for each connection at most.
  it.each<{ why: string; harm: () => Promise<void>; mend: () => Promise<void>; cutOff: number }>([
    { why: "killed (-9)", harm: () => server.kill(), mend: () => server.restart(), cutOff: CONNECTIONS },
    {
      why: "stopped (SIGSTOP)",
      harm: async () => server.pause(),
      mend: async () => server.resume(),
      cutOff: 0,
    },
    {
      why: "behind a line that is cut",
      harm: async () => line.cut(),
      mend: async () => line.heal(),
      cutOff: CONNECTIONS / 2,
    },
    {
      why: "behind a line that loses all",
      harm: async () => line.stall(),
      mend: async () => line.heal(),
      cutOff: 0,
    },
  ])(
    "never give more than the limit while Redis is $why, and all of the rest when it is back",
    async ({ harm, mend, cutOff }) => {
      const { key, account, limit, left } = await newAccount(2_000);
      const harmAt = 300 + Math.floor(random() * 1_000);
      let harmed: Promise<void> | undefined;
      let mended: Promise<void> | undefined;
      let atHarm = 0;
      const onAnswer = ({ served, unavailable }: Spent) => {
        if (served >= harmAt && harmed === undefined) {
          harmed = harm();
          atHarm = unavailable;
        }
        // Each connection of two proxies was told at least once that it is away: nobody hangs.
        if (harmed !== undefined && unavailable >= atHarm + CONNECTIONS) mended ??= harmed.then(mend);
      };
      const { served, unavailable, timedOut, refused, other } = await spend(proxies, key, {
        connections: CONNECTIONS,
        onAnswer,
      });
      await harmed;
      await mended;
      const counted = await used(account);
      expect([refused, other], said).toEqual([CONNECTIONS, []]);
      expect(unavailable, said).toBeGreaterThanOrEqual(CONNECTIONS);
      expect(served, said).toBeLessThanOrEqual(left);
      expect(served, said).toBeGreaterThanOrEqual(left - cutOff - timedOut);
      expect(counted, said).toBe(limit);
      await allServe();
    },
  );

  it("serve on the side that has its Redis while the other is cut off", async () => {
    const { key } = await newAccount(1_000_000);
    line.cut();
    const lanes = proxies.map((proxy) => laneTo(proxy, key));
    for (const lane of lanes.slice(2)) while ((await lane.ask()).status !== 503);
    for (const lane of lanes.slice(0, 2)) expect(await answerOf(lane)).toBe(200);
    for (const lane of lanes.slice(2)) expect((await lane.ask()).status).toBe(503);
    line.heal();
    await allServe();
    for (const lane of lanes) lane.close();
  });

  it("serve nobody from a Redis that came back without its file, say why, and close the day when it is put right", async () => {
    const { key, account } = await newAccount(1_000);
    const lane = laneTo(proxies[0] as ProxyProcess, key);
    expect(await answerOf(lane)).toBe(200);
    await server.kill();
    await server.restart({ appendonly: "no" });
    const statuses = new Set<number>();
    while (!proxies[0]?.log().includes("APPENDONLY_NOT_YES")) statuses.add((await lane.ask()).status);
    expect([...statuses]).toEqual([503]);
    await expect.poll(() => readinessOf(proxies[0] as ProxyProcess)).toMatch(/(KEYS|QUOTA)_DOWN/);
    // Its operator puts the setting right, and then its file.
    await server.kill();
    await server.restart();
    expect(await answerOf(lane), "nothing was lost after all").toBe(200);

    await server.ask("DEL", `govdata:guard`);
    let status = await answerOf(lane);
    while (status === 200) status = await answerOf(lane);
    expect(status).toBe(429);
    expect(await fleet.command(server.url, "account", "usage", account, "--set", "10")).toContain("990");
    while (status === 429) status = await answerOf(lane);
    expect(status).toBe(200);
    lane.close();
    expect(proxies.map((proxy) => proxy.log()).join("")).not.toContain("pepper-canary");
  });
});
