import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import type { ServerWorld } from "../../../proxy/server/server-world.ts";
import { startServer } from "../../../proxy/server/start-server.ts";
import { readServeSettings, type ServeFlags } from "../../../proxy/settings.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { NOON_MS, PEPPER } from "./test-proxy.ts";

interface ServerOptions extends Partial<ServerWorld> {
  readonly flags?: ServeFlags;
  readonly environment?: Readonly<Record<string, string>>;
}

interface ServerPaths {
  readonly home: string;
  readonly snapshots: string;
  readonly optouts?: string;
}

/** Starts a server in this process, at noon, on a free port; nothing is done each second but by `repeat`. */
export function startTestServer(
  { home, snapshots, optouts = join(home, "optouts.db") }: ServerPaths,
  { flags = {}, environment = {}, ...world }: ServerOptions = {},
) {
  const settings = readServeSettings({ port: "0", ...flags }, environment);
  return startServer({ home, snapshots, optouts }, settings, {
    nowMs: () => NOON_MS,
    monotonicMs: world.nowMs ?? (() => NOON_MS),
    randomBytes,
    logStream: { write: () => {} },
    pepper: PEPPER,
    versions: {
      readPointer: () => readPointer(snapshots),
      open: (sequenceMin) => openSnapshot(snapshots, { sequenceMin }),
    },
    repeat: () => () => {},
    ...world,
  });
}

/** Makes a Pro key in a home, with the account `acme` where it is missing. */
export function proKeyIn(home: string, nowMs = NOON_MS): string {
  const table = openKeyTable(join(home, "keys.db"), 100);
  const options = {
    account: "acme",
    terms: { tier: "pro" },
    environment: "live",
    expiresAtMs: null,
  } as const;
  const { key } = createKey({ table, pepper: PEPPER, nowMs, randomBytes }, options);
  table.close();
  return key;
}
