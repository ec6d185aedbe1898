import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import {
  createKeyScripts,
  KEY_SCRIPTS,
  type KeyScripts,
  NO_POINT,
} from "../../../../proxy/fleet/keys/key-scripts.ts";
import { editKeys, followRedisKeys } from "../../../../proxy/fleet/keys/redis-keys.ts";
import { openRedisLink, type RedisLink } from "../../../../proxy/fleet/redis/redis-link.ts";
import { createKey } from "../../../../proxy/keys/issue-keys.ts";
import type { KeyTable } from "../../../../proxy/keys/key-table.ts";
import { sharedRedis } from "../../../support/shared-redis.ts";

export const PEPPER = "p".repeat(40);
export const NOW_MS = Date.parse("2026-04-01T12:00:00Z");
export const KEY_OPTIONS = {
  account: "acme",
  terms: { tier: "pro" as const },
  environment: "live" as const,
  expiresAtMs: null,
};

interface HostParts extends Omit<Parameters<typeof followRedisKeys>[0], "scripts"> {
  readonly scripts: KeyScripts;
  readonly mayBegin: boolean;
}

/** One Redis for the tests of a file, empty before each, and the keys in it. */
export function keysInRedis() {
  const server = sharedRedis();
  let link: RedisLink | undefined;
  const linked = (): RedisLink => {
    if (link === undefined) throw new Error("not linked yet");
    return link;
  };
  beforeAll(async () => {
    link = await openRedisLink(server().url, KEY_SCRIPTS, 60_000);
  });
  afterAll(() => link?.close());
  const scripts = () => createKeyScripts(linked());
  /** Keys of one host. */
  const keysWith = ({ mayBegin = true, ...more }: Partial<HostParts> = {}) => {
    const parts = {
      scripts: scripts(),
      known: NO_POINT,
      clocks: [() => NOW_MS],
      onChange: async () => {},
      ...more,
    };
    return {
      ...followRedisKeys(parts),
      edit: <Result>(work: (table: KeyTable) => Result) =>
        editKeys({ ...parts, mayBegin, randomBytes }, work),
    };
  };
  const edit = <Result>(work: (table: KeyTable) => Result) => keysWith().edit(work);
  return {
    server,
    link: linked,
    scripts,
    keysWith,
    edit,
    makeKey: (options: Partial<typeof KEY_OPTIONS> = {}) =>
      edit((table) =>
        createKey({ table, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, { ...KEY_OPTIONS, ...options }),
      ),
  };
}
