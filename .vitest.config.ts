import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { useTemporaryHome } from "./test/support/run-folder.ts";

// Vitest keeps what it compiles in files of its own.
useTemporaryHome();

/** Long tests, and those that start other programs (a chain, nginx, DuckDB): `npm run test:slow`, and CI, run them. */
export const SLOW_TESTS = [
  "test/browser/*.test.ts",
  "test/fixtures/world-days.test.ts",
  "test/package/*.test.ts",
  "test/real/{claims,whole-way,score-days,archive-counts,own-last-days,onchain-api,attacks.*}.test.ts",
  "test/journey/*.test.ts",
  "test/faults/**/*.test.ts",
  "test/snapshots/base/sqlite.threads.test.ts",
  "test/snapshots/store/write/publish-snapshot.faults.test.ts",
  "test/snapshots/store/maintain/{redact-snapshot,verify-snapshot.mutants}.test.ts",
  "test/guides/**/*.test.ts",
  "test/pipeline/cli/main.test.ts",
  "test/pipeline/cli/commands/{dao.check,push}.test.ts",
  "test/pipeline/tools/export/partitioned/{export-partitioned,queries.clickhouse,sql/duckdb/run}.test.ts",
  "test/pipeline/recompute/recompute.test.ts",
  "test/pipeline/recompute/recompute.scores.test.ts",
  "test/pipeline/sources/ens/node-reader.test.ts",
  "test/pipeline/sources/archive/record.recorded-governor.test.ts",
  "test/pipeline/sources/governor/{governor-source,governor-source.*,fetch-proposals,fetch-delegation}.test.ts",
  "test/pipeline/sources/hub/{change-feed,hub-source.{faults,limits,resume,withheld}}.test.ts",
  "test/pipeline/sources/estimate.test.ts",
  "test/pipeline/sources/{snapshot-api,delegates-api}/*.test.ts",
  "test/pipeline/stages/{earlier-visits,thread-pool}.test.ts",
  "test/pipeline/upkeep/check-entry.contracts.test.ts",
  "test/proxy/server/{start-server.signed,start-server.quota-fleet,start-server.keys-fleet,start-server.restarts}.test.ts",
  "test/proxy/observe/create-log.process.test.ts",
  "test/proxy/quota/sqlite/quota-ledger.processes.test.ts",
  "test/proxy/fleet/follow/follow-remote.test.ts",
  "test/proxy/fleet/follow/follow-remote.processes.test.ts",
  "test/time/*.test.ts",
];

/** What npm has installed; Vitest looks at the same file. */
const installed = createHash("sha256")
  .update(readFileSync(new URL("node_modules/.package-lock.json", import.meta.url)))
  .digest("hex")
  .slice(0, 8);

/** What both suites have in common. */
export const COMMON = {
  reporters: ["default", "./test/support/closing-line-reporter.ts"],
  // The default leaves a core idle, which on two cores is half of them.
  maxWorkers: 3,
  // Loading the sources anew for each of some four hundred files took half of the time; no test mocks a module.
  isolate: false,
  sequence: { sequencer: LongestFirst },
  // Compiled sources, by the hash of their text: the second suite of a checkout, and every later run, need not compile them.
  // In a folder by what is installed: Vitest removes the folder when that changes, and the next file could not be written to it.
  experimental: { fsModuleCache: true, fsModuleCachePath: `node_modules/.vitest-modules-${installed}` },
  // Otherwise the S3 client warns on Node 20 that a later version needs Node 22; ours is pinned.
  env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
  globalSetup: "./test/support/run-folder.ts",
  setupFiles: "./test/support/no-public-hub.ts",
  // Only end a test that hangs. A busy machine takes many times as long as a quiet one, and no test measures time by these.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
} as const;

export default defineConfig({
  test: { ...COMMON, reporters: [...COMMON.reporters], include: ["test/**/*.test.ts"], exclude: SLOW_TESTS },
});
