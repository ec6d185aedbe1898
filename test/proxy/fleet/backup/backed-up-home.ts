import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { openQuotaLedger, type QuotaFile } from "../../../../proxy/quota/sqlite/quota-ledger.ts";
import { commitRequests } from "../../../support/commit-requests.ts";
import { runProxyCommand } from "../../../support/run-in-process.ts";

export const [TODAY, TOMORROW] = ["2026-04-01", "2026-04-02"];
export const NOON_MS = Date.parse(`${TODAY}T12:00:00Z`);
export const LIMIT = 10_000;

/** A home, a place for its backup, and another home. */
export function homesIn(directory: string) {
  const [home, backup, other] = ["home", "backup", "other"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const run = async (line: string, options: { home?: string; nowMs?: number; pepper?: string } = {}) => {
    return runProxyCommand(line.split(" "), {
      environment: { GOVDATA_PROXY_HOME: options.home ?? home, GOVDATA_PEPPER: options.pepper },
      nowMs: () => options.nowMs ?? NOON_MS,
    });
  };
  return { directory, home, backup, other, run };
}

/** A home with a key and a pepper, somewhere in `folder`. */
export async function setUp(folder: string) {
  const homes = homesIn(mkdtempSync(join(folder, "t-")));
  await homes.run("key create --account acme --tier pro");
  return homes;
}

/** The counter of a home. */
export const counterOf = (home: string) => openQuotaLedger(join(home, "quota.db"));

/** How many of `count` units are granted. */
export function grant(
  ledger: QuotaFile,
  count: number,
  asked: { day?: string; account?: string; limit?: number } = {},
) {
  const request = { account: "acme", day: TODAY, limit: LIMIT, ...asked };
  const answers = commitRequests(
    ledger,
    Array.from({ length: count }, () => request),
  );
  return answers.filter(({ isGranted }) => isGranted).length;
}

/** As `grant`, by a server that starts and stops for it. */
export function grantIn(home: string, count: number, asked: Parameters<typeof grant>[2] = {}): number {
  const ledger = counterOf(home);
  try {
    return grant(ledger, count, asked);
  } finally {
    ledger.close();
  }
}
