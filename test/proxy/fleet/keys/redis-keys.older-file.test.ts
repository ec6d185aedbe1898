import { randomBytes } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKeyScripts, KEY_SCRIPTS, NO_POINT } from "../../../../proxy/fleet/keys/key-scripts.ts";
import { createRedisKeys } from "../../../../proxy/fleet/keys/redis-keys.ts";
import { openRedisLink } from "../../../../proxy/fleet/redis/redis-link.ts";
import { isRedisFailure } from "../../../../proxy/fleet/redis/store-failure.ts";
import { REDIS_SERVER, startRedisServer } from "../../../support/redis-server.ts";
import { NOW_MS } from "./keys-in-redis.ts";

const ACCOUNT = '{"tier":"free","dailyLimit":null,"createdAtMs":0}';
const coded = (code: string) => expect.objectContaining({ code });

describe.skipIf(REDIS_SERVER === undefined)("an older file of Redis that was put back", () => {
  it("is noticed by a proxy that runs and by one that starts, also after more was written on top of it", async () => {
    const server = await startRedisServer();
    const link = await openRedisLink(server.url, { scripts: KEY_SCRIPTS, callTimeoutMs: 60_000 });
    const older = join(server.folder, "older");
    const file = join(server.folder, "appendonlydir");
    try {
      const scripts = createKeyScripts(link);
      const write = async (count: number) => {
        for (let index = 0; index < count; index += 1) {
          const { point } = await scripts.load(NO_POINT);
          const entries = new Map([[`account:a${point.revision}`, ACCOUNT]]);
          expect(await scripts.commit(point, entries, randomBytes(8).toString("hex"))).toBeDefined();
        }
        return (await scripts.load(NO_POINT)).point;
      };
      await write(2);
      await server.stop();
      cpSync(file, older, { recursive: true });
      await server.restart();
      const known = await retried(() => write(2));
      const keysOf = () =>
        createRedisKeys({
          scripts,
          randomBytes,
          mayBegin: false,
          known,
          clocks: [() => NOW_MS],
          onChange: async () => {},
        });
      const running = keysOf();
      await running.poll();
      expect(running.revision()).toBe(4);
      await server.stop();
      rmSync(file, { recursive: true });
      cpSync(older, file, { recursive: true });
      await server.restart();
      await retried(() => scripts.load(NO_POINT));
      await running.poll();
      expect(() => running.revision()).toThrow(coded("KEYS_LOST"));
      expect((await write(3)).revision).toBeGreaterThan(known.revision);
      await running.poll();
      expect(() => running.revision()).toThrow(coded("KEYS_LOST"));
      await expect(keysOf().load()).rejects.toEqual(coded("KEYS_LOST"));
    } finally {
      link.close();
      await server.remove();
    }
  });
});

/** The link comes back by itself, a moment after Redis did. */
async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRedisFailure(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
