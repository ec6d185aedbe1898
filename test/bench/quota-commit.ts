import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DailyQuota } from "../../proxy/quota/daily-quota.ts";
import { answerAt } from "../../proxy/quota/grant.ts";
import { createGroupCommit } from "../../proxy/quota/group-commit.ts";
import { openQuotaLedger } from "../../proxy/quota/sqlite/quota-ledger.ts";

// How many units a second are granted, each on disk before it is, by one flush for all that wait and by one for each,
// interleaved: 64 callers who each wait for their unit before they ask for the next. `tsx test/bench/quota-commit.ts [ROUNDS]`.
const ROUNDS = Number(process.argv[2] ?? 7);
const CALLERS = 64;
const ROUND_MS = 1_000;
const DAY = "2026-11-21";

const folder = mkdtempSync(join(tmpdir(), "govdata-quota-bench-"));
const ledger = openQuotaLedger(join(folder, "each.db"));
const grouped = createGroupCommit({
  ledger: openQuotaLedger(join(folder, "grouped.db")),
  tickMs: () => performance.now(),
  onError: (error) => {
    throw error;
  },
});
const each: DailyQuota["charge"] = async (request) => {
  const [units] = await ledger.settle([{ ...request, units: 1 }], []);
  if (units === undefined) throw new Error("no answer");
  return answerAt(0, request.limit, units);
};

async function unitsPerSecond(charge: DailyQuota["charge"], accounts: number): Promise<number> {
  const endMs = performance.now() + ROUND_MS;
  let granted = 0;
  const caller = async (first: number) => {
    for (let turn = first; performance.now() < endMs; turn += CALLERS) {
      const request = { account: `account-${turn % accounts}`, day: DAY, limit: 999_999_999 };
      if ((await charge(request)).isGranted) granted += 1;
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
  return (granted / (performance.now() - startedMs)) * 1_000;
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

process.stdout.write(`${ROUNDS} rounds of ${ROUND_MS} ms, ${CALLERS} callers\n\n`);
process.stdout.write(
  "| accounts | a flush for each, units/s | one for all, units/s | ratio (median, range) |\n|---|---|---|---|\n",
);
for (const accounts of [1, 1_000]) {
  const [one, all]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    one.push(await unitsPerSecond(each, accounts));
    all.push(await unitsPerSecond(grouped.charge, accounts));
  }
  const ratios = all.map((rate, round) => rate / (one[round] ?? Number.NaN));
  process.stdout.write(
    `| ${accounts} | ${median(one).toFixed(0)} | ${median(all).toFixed(0)} | ${median(ratios).toFixed(1)} (${Math.min(...ratios).toFixed(1)}–${Math.max(...ratios).toFixed(1)}) |\n`,
  );
}
await grouped.close();
ledger.close();
rmSync(folder, { recursive: true, force: true });
