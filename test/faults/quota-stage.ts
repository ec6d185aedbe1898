import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKey } from "../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../proxy/keys/key-table.ts";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { publishFixture } from "../support/published-set.ts";
import { startChild } from "./child.ts";

/** The pepper of every stage: 32 characters or more, and easy to look for in a log. */
export const STAGE_PEPPER = "pepper-canary-of-the-stage-0123456789";

export type StagedProxy = Awaited<ReturnType<typeof startProxy>>;
export type QuotaStage = Awaited<ReturnType<typeof setQuotaStage>>;

/** Makes a home that proxies share, with a published version, an empty counter and no proxy yet. */
export async function setQuotaStage() {
  const folder = mkdtempSync(join(HOME, "govdata-quota-"));
  const [home, snapshots] = [join(folder, "proxy"), join(folder, "published")];
  await publishFixture(snapshots);
  const running = new Set<StagedProxy>();
  const copy = compileCopy(join(import.meta.dirname, "quota-proxy-process.ts"));
  const listening = ["--host", "127.0.0.1", "--port", "0", "--admin-port", "0"];
  const words = [copy, "--home", home, "--snapshots", snapshots, "serve", ...listening];
  const issueKey = (account: string, dailyLimit: number) => {
    const table = openKeyTable(join(home, "keys.db"), 5000);
    try {
      return createKey(
        { table, pepper: STAGE_PEPPER, nowMs: Date.now(), randomBytes },
        { account, terms: { tier: "enterprise", dailyLimit }, environment: "test", expiresAtMs: null },
      );
    } finally {
      table.close();
    }
  };
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "pepper"), `${STAGE_PEPPER}\n`, { mode: 0o600 });
  return {
    home,
    snapshots,
    issueKey,
    start: async (before: readonly string[] = []) => {
      const proxy = await startProxy(words, before);
      running.add(proxy);
      return proxy;
    },
    /** What the file has counted, by day. */
    usedBy: (account: string): ReadonlyMap<string, number> => {
      const ledger = openQuotaLedger(join(home, "quota.db"));
      const days = ledger.usage(account, "0000-01-01");
      ledger.close();
      return new Map(days.map(({ day, used }) => [day, used]));
    },
    /** Kills what still runs, and removes everything. */
    end: async () => {
      await Promise.all([...running].map((proxy) => proxy.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a proxy by its words, under another command where one is given, and waits until it listens. */
async function startProxy(words: readonly string[], before: readonly string[]) {
  const child = startChild(words, before);
  const address = /^listening on (http:\S+)$/.exec(await child.nextLine())?.[1];
  const adminAddress = /^admin on (http:\S+)$/.exec(await child.nextLine())?.[1];
  if (address === undefined || adminAddress === undefined)
    throw new Error("the proxy does not say where it listens");
  return {
    address,
    adminAddress,
    child,
    /** What it has logged. */
    log: child.complaint,
    /** Kills it at once, and waits until it is gone. */
    kill: async () => {
      child.process.kill("SIGKILL");
      await child.ended;
    },
    /** Sends a line, and waits until it is done. */
    tell: async (line: string) => {
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
