import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach } from "vitest";
import {
  createKeyScripts,
  KEY_SCRIPTS,
  type KeyScripts,
  NO_POINT,
} from "../../../../proxy/fleet/keys/key-scripts.ts";
import {
  editKeys,
  type FollowedKeysParts,
  followRedisKeys,
  loadKeys,
} from "../../../../proxy/fleet/keys/redis-keys.ts";
import { openRedisLink, type RedisLink } from "../../../../proxy/fleet/redis/redis-link.ts";
import { createKey } from "../../../../proxy/keys/issue-keys.ts";
import type { KeyTable } from "../../../../proxy/keys/key-table.ts";
import { type RedisServer, startRedisServer } from "../../../support/redis-server.ts";

export const PEPPER = "p".repeat(40);
export const NOW_MS = Date.parse("2026-04-01T12:00:00Z");
export const KEY_OPTIONS = {
  account: "acme",
  terms: { tier: "pro" as const },
  environment: "live" as const,
  expiresAtMs: null,
};

export interface HostParts extends Omit<FollowedKeysParts, "scripts"> {
  readonly scripts: KeyScripts;
  readonly mayBegin: boolean;
}

/** What the tests of a file have in common: one Redis, and the keys in it. */
export interface KeysInRedis {
  readonly server: () => RedisServer;
  readonly link: () => RedisLink;
  readonly scripts: () => KeyScripts;
  /** Keys of one host. */
  readonly keysWith: (parts?: Partial<HostParts>) => ReturnType<typeof followRedisKeys> & {
    readonly load: () => Promise<KeyTable>;
    readonly edit: <Result>(work: (table: KeyTable) => Result) => Promise<Result>;
  };
  readonly edit: <Result>(work: (table: KeyTable) => Result) => Promise<Result>;
  readonly makeKey: (options?: Partial<typeof KEY_OPTIONS>) => Promise<ReturnType<typeof createKey>>;
}

/** Starts one Redis for the tests of a file, empty before each. */
export function keysInRedis(): KeysInRedis {
  let server: RedisServer | undefined;
  let link: RedisLink | undefined;
  const need = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("not started");
    return value;
  };
  beforeAll(async () => {
    server = await startRedisServer();
    link = await openRedisLink(server.url, KEY_SCRIPTS, 60_000);
  });
  beforeEach(async () => void (await need(server).ask("FLUSHALL")));
  afterAll(async () => {
    link?.close();
    await server?.remove();
  });
  const scripts = () => createKeyScripts(need(link));
  const keysWith: KeysInRedis["keysWith"] = ({ mayBegin = true, ...more } = {}) => {
    const parts = {
      scripts: scripts(),
      known: NO_POINT,
      clocks: [() => NOW_MS],
      onChange: async () => {},
      ...more,
    };
    return {
      ...followRedisKeys(parts),
      load: async () => (await loadKeys(parts.scripts, parts.known)).table,
      edit: (work) => editKeys({ ...parts, mayBegin, randomBytes }, work),
    };
  };
  const edit: KeysInRedis["edit"] = (work) => keysWith().edit(work);
  return {
    server: () => need(server),
    link: () => need(link),
    scripts,
    keysWith,
    edit,
    makeKey: (options) =>
      edit((table) =>
        createKey({ table, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, { ...KEY_OPTIONS, ...options }),
      ),
  };
}
