import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKey, type IssuedKey } from "../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../proxy/keys/key-table.ts";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { publishFixture } from "../support/published-set.ts";
import { type Child, startChild } from "./child.ts";

/** The pepper of every stage: 32 characters or more, and easy to look for in a log. */
export const STAGE_PEPPER = "pepper-canary-of-the-stage-0123456789";

/** A proxy in a process of its own. */
export interface StagedProxy {
  readonly address: string;
  /** The operator's listener. */
  readonly adminAddress: string;
  readonly child: Child;
  /** What it has logged. */
  readonly log: () => string;
  /** Kills it at once, and waits until it is gone. */
  readonly kill: () => Promise<void>;
  /** Sends a line, and waits until it is done. */
  readonly tell: (line: string) => Promise<void>;
}

/** One home that proxies share. */
export interface QuotaStage {
  readonly home: string;
  readonly snapshots: string;
  readonly start: (before?: readonly string[]) => Promise<StagedProxy>;
  readonly issueKey: (account: string, dailyLimit: number) => IssuedKey;
  /** What the file has counted, by day. */
  readonly usedBy: (account: string) => ReadonlyMap<string, number>;
  /** Kills what still runs, and removes everything. */
  readonly end: () => Promise<void>;
}

/** Makes a home with a published version, an empty counter and no proxy yet. */
export async function setQuotaStage(): Promise<QuotaStage> {
  const folder = mkdtempSync(join(HOME, "govdata-quota-"));
  const [home, snapshots] = [join(folder, "proxy"), join(folder, "published")];
  await publishFixture(snapshots);
  const running = new Set<StagedProxy>();
  const copy = compileCopy(join(import.meta.dirname, "quota-proxy-process.ts"));
  const words = [
    copy,
    "--home",
    home,
    "--snapshots",
    snapshots,
    "serve",
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    "--admin-port",
    "0",
  ];
  const store = () => openKeyTable(join(home, "keys.db"), 5000);
  const issueKey = (account: string, dailyLimit: number) => {
    const open = store();
    try {
      return createKey(
        { table: open, pepper: STAGE_PEPPER, nowMs: Date.now(), randomBytes },
        { account, terms: { tier: "enterprise", dailyLimit }, environment: "test", expiresAtMs: null },
      );
    } finally {
      open.close();
    }
  };
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "pepper"), `${STAGE_PEPPER}\n`, { mode: 0o600 });
  return {
    home,
    snapshots,
    issueKey,
    start: async (before = []) => {
      const proxy = await startProxy(words, before);
      running.add(proxy);
      return proxy;
    },
    usedBy: (account) => {
      const ledger = openQuotaLedger(join(home, "quota.db"));
      const days = ledger.usage(account, "0000-01-01");
      ledger.close();
      return new Map(days.map(({ day, used }) => [day, used]));
    },
    end: async () => {
      await Promise.all([...running].map((proxy) => proxy.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a proxy by its words, under another command where one is given, and waits until it listens. */
export async function startProxy(words: readonly string[], before: readonly string[]): Promise<StagedProxy> {
  const child = startChild(words, before);
  let log = "";
  child.process.stderr?.on("data", (chunk) => {
    log += String(chunk);
  });
  const address = /^listening on (http:\S+)$/.exec(await child.nextLine())?.[1];
  const adminAddress = /^admin on (http:\S+)$/.exec(await child.nextLine())?.[1];
  if (address === undefined || adminAddress === undefined)
    throw new Error("the proxy does not say where it listens");
  return {
    address,
    adminAddress,
    child,
    log: () => log,
    kill: async () => {
      child.process.kill("SIGKILL");
      await child.ended;
    },
    tell: async (line) => {
      child.say(line);
      await child.nextLine();
    },
  };
}

const NOON_MS = Date.parse("2031-01-15T12:00:00.000Z");

/** Starts a proxy for which it is noon: no midnight passes while what it answers is counted. */
export async function startAtNoon(stage: QuotaStage, before: readonly string[] = []): Promise<StagedProxy> {
  const proxy = await stage.start(before);
  await proxy.tell(`clock ${NOON_MS} ${Date.now()}`);
  return proxy;
}
