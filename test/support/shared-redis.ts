import { afterAll, beforeAll, beforeEach } from "vitest";
import { type RedisServer, startRedisServer } from "./redis-server.ts";

/** One Redis for the tests of a file, empty before each. */
export function sharedRedis(): () => RedisServer {
  let server: RedisServer | undefined;
  const started = (): RedisServer => {
    if (server === undefined) throw new Error("Redis is not started yet");
    return server;
  };
  beforeAll(async () => {
    server = await startRedisServer();
  });
  beforeEach(async () => void (await started().ask("FLUSHALL")));
  afterAll(async () => server?.remove());
  return started;
}
