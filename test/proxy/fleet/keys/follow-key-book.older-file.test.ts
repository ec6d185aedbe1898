import { randomBytes } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { followKeyBook } from "../../../../proxy/fleet/keys/follow-key-book.ts";
import { createKeyBook, KEY_BOOK_SCRIPTS, NO_POINT } from "../../../../proxy/fleet/keys/key-book.ts";
import { RedisError } from "../../../../proxy/fleet/redis/redis-connection.ts";
import { openRedisLink } from "../../../../proxy/fleet/redis/redis-link.ts";
import { REDIS_SERVER, startRedisServer } from "../../../support/redis-server.ts";
import { NOW_MS } from "./book-stand.ts";

const coded = (code: string) => expect.objectContaining({ code });

describe.skipIf(REDIS_SERVER === undefined)("an older file of Redis that was put back", () => {
  it("is noticed by a proxy that runs and by one that starts, also after more was written on top of it", async () => {
    const server = await startRedisServer();
    const link = await openRedisLink(server.url, { scripts: KEY_BOOK_SCRIPTS, callTimeoutMs: 60_000 });
    const older = join(server.folder, "older");
    const file = join(server.folder, "appendonlydir");
    try {
      const book = createKeyBook(link);
      const write = async (count: number) => {
        for (let index = 0; index < count; index += 1) {
          const { point } = await book.readSince(NO_POINT);
          const row = {
            field: `account:a${point.revision}`,
            json: '{"tier":"free","dailyLimit":null,"createdAtMs":0}',
          };
          expect(await book.commit(point, [row], randomBytes(8).toString("hex"))).toBe(true);
        }
        return (await book.readSince(NO_POINT)).point;
      };
      await write(2);
      await server.stop();
      cpSync(file, older, { recursive: true });
      await server.restart();
      const known = await retried(() => write(2));
      const parts = { book, clocks: [() => NOW_MS], onChange: () => {} };
      const running = await followKeyBook({ ...parts, known });
      await server.stop();
      rmSync(file, { recursive: true });
      cpSync(older, file, { recursive: true });
      await server.restart();
      await retried(() => book.readSince(NO_POINT));
      await running.poll();
      expect(() => running.asked.revision()).toThrow(coded("KEYS_LOST"));
      expect((await write(3)).revision).toBeGreaterThan(known.revision);
      await running.poll();
      expect(() => running.asked.revision()).toThrow(coded("KEYS_LOST"));
      await expect(followKeyBook({ ...parts, known })).rejects.toEqual(coded("KEYS_LOST"));
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
      if (!(error instanceof RedisError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
