import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import type { ServerWorld } from "../../../proxy/server/server-world.ts";
import { startServer } from "../../../proxy/server/start-server.ts";
import { readServeSettings, type ServeFlags } from "../../../proxy/settings.ts";
import { versionsIn } from "../../../proxy/snapshot/snapshot-source.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../snapshots/optouts/opt-out-store.ts";
import { NOON_MS, PEPPER } from "./test-proxy.ts";

interface ServerOptions extends Partial<ServerWorld> {
  readonly flags?: ServeFlags;
  readonly environment?: Readonly<Record<string, string>>;
}

interface ServerPaths {
  readonly home: string;
  readonly snapshots: string;
  /** The publisher's list, instead of one in the home. */
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
    versions: versionsIn(snapshots, undefined),
    repeat: () => () => {},
    ...world,
  });
}

/** Such a server with an empty list of opt-outs, and with a Pro key; by default in a new home in `folder`. */
export async function startWithKey({
  folder,
  home = mkdtempSync(join(folder, "home-")),
  snapshots,
  ...options
}: ServerOptions & { readonly folder: string; readonly home?: string; readonly snapshots: string }) {
  createOptOuts({ path: join(home, "optouts.db"), mode: OPT_OUTS_MODES.owner, randomBytes });
  const lines: Record<string, unknown>[] = [];
  let poll = async () => {};
  const server = await startTestServer(
    { home, snapshots },
    {
      logStream: { write: (line) => void lines.push(JSON.parse(line)) },
      repeat: (task) => {
        poll = task;
        return () => {};
      },
      ...options,
    },
  );
  const key = proKeyIn(home, options.nowMs?.());
  /** `poll` is what the server does each second. */
  return { server, home, key, lines, poll: () => poll() };
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
