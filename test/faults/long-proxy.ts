import { existsSync } from "node:fs";
import { canMountSmallDisk } from "./full-disk.ts";
import { fuzzRequests } from "./fuzz-requests.ts";
import { endKeysUnderLoad } from "./key-endings.ts";
import { quotaBoundary } from "./quota-boundary.ts";
import { FAKETIME_LIBRARY, quotaClock } from "./quota-clock.ts";
import { simulateQuota } from "./quota-simulator.ts";
import { type QuotaStage, setQuotaStage } from "./quota-stage.ts";
import { quotaStoreFaults } from "./quota-store-faults.ts";
import { rollingRestarts } from "./rolling-restarts.ts";
import { canBeSlow, SLOW_MODES, slowCallers } from "./slow-callers.ts";
import { canStrace } from "./strace-faults.ts";

/** One figure: what was done, what came of it, and every single thing that was wrong. */
export interface Row {
  readonly figure: string;
  readonly did: string;
  readonly outcome: string;
  readonly wrong: readonly string[];
}

/** How long a run is to be. */
export interface Length {
  readonly seed: number;
  readonly scaled: (count: number) => number;
}

const GOOD_P99_MAX_MS = 250;
const ATTACKER_MAX_MS = 10_000;

async function onStage<Result>(work: (stage: QuotaStage) => Promise<Result>): Promise<Result> {
  const stage = await setQuotaStage();
  try {
    return await work(stage);
  } finally {
    await stage.end();
  }
}

async function boundary(limit: number, runs: number, { seed, scaled }: Length): Promise<Row> {
  const proxies = [1, 2, 4];
  const options = { proxies, limit, runs: scaled(runs), killRuns: scaled(runs), kills: 2, seed };
  const tally = await onStage((stage) => quotaBoundary(stage, options));
  return {
    figure: `F8, F9 (limit ${limit})`,
    did: `${tally.runs} runs of 1, 2 and 4 proxies under 200 connections, ${tally.kills} kills -9 in half of them`,
    outcome: `${tally.answers} answers; ${tally.lost} units lost with a killed process, ${tally.busy} asked again`,
    wrong: tally.broken,
  };
}

async function simulated({ seed, scaled }: Length): Promise<Row> {
  const tally = await simulateQuota({ runs: scaled(2_000), steps: 120, seed });
  return {
    figure: "quota, simulated",
    did: `${tally.runs} worlds, ${tally.requests} requests, ${tally.crashes} crashes, ${tally.faults} faults`,
    outcome: `${tally.served} served, ${tally.refunds} given back`,
    wrong: tally.broken,
  };
}

async function clocks(): Promise<Row> {
  const kinds = existsSync(FAKETIME_LIBRARY) ? (["argument", "faketime"] as const) : (["argument"] as const);
  const tallies = [];
  for (const clock of kinds) {
    const options = { proxies: 2, connections: 20, limit: 100, clock };
    tallies.push(await onStage((stage) => quotaClock(stage, options)));
  }
  const answers = tallies.reduce((sum, tally) => sum + tally.answers, 0);
  return {
    figure: "F11",
    did: `midnight, an hour back, 25 hours ahead; clock by ${kinds.join(" and ")}`,
    outcome: `${answers} answers, never more than the limit on a day`,
    wrong: tallies.flatMap((tally) => tally.broken),
  };
}

async function stores(): Promise<Row> {
  const able = { strace: canStrace(), mount: canMountSmallDisk() };
  const tally = await onStage((stage) => quotaStoreFaults(stage, able));
  return {
    figure: "F12",
    did: tally.faults.join(", "),
    outcome: `${tally.unavailable} answers were 503, ${tally.answers} others; each recovered by itself`,
    wrong: tally.broken,
  };
}

async function fuzzed({ seed, scaled }: Length): Promise<Row> {
  const tally = await fuzzRequests(scaled(1_000_000), seed);
  const statuses = [...tally.byStatus].sort(([a], [b]) => a - b);
  return {
    figure: "F13",
    did: `${tally.requests} raw requests on ${tally.connections} connections`,
    outcome: `${tally.answers} answers (${statuses.map(([status, count]) => `${status}: ${count}`).join(", ")}), ${tally.resets} resets, memory ${tally.rssGrowthMb.toFixed(0)} MB more`,
    wrong: tally.wrong,
  };
}

async function slow(): Promise<Row> {
  const figure = "F18";
  if (!canBeSlow()) return { figure, did: "not run: no slowhttptest here", outcome: "-", wrong: [] };
  const tally = await slowCallers(SLOW_MODES, { connections: 200, seconds: 30 });
  return {
    figure,
    did: `${tally.attackers} attackers, slow with ${SLOW_MODES.join(", ")}`,
    outcome: `a good caller's p99 ${tally.goodP99Ms.toFixed(0)} ms over ${tally.goodAnswers} answers; an attacker's socket lived ${(tally.longestMs / 1000).toFixed(1)} s at most`,
    wrong: [
      ...tally.wrong,
      ...(tally.goodP99Ms < GOOD_P99_MAX_MS ? [] : ["a good caller waits too long"]),
      ...(tally.longestMs <= ATTACKER_MAX_MS ? [] : ["an attacker is kept too long"]),
    ],
  };
}

async function endings({ seed, scaled }: Length): Promise<Row> {
  const tally = await onStage((stage) => endKeysUnderLoad(stage, { proxies: 2, keys: scaled(60), seed }));
  return {
    figure: "F20",
    did: `${tally.keys} keys revoked, rotated or expired under load, ${tally.answers} answers`,
    outcome: `the last good one ${tally.latestMs.toFixed(0)} ms after its key's end; ${tally.searchedBytes} bytes of log and metrics hold no key`,
    wrong: tally.broken,
  };
}

async function restarts({ scaled }: Length): Promise<Row> {
  const tally = await rollingRestarts(scaled(50));
  return {
    figure: "F21",
    did: `${tally.restarts} rolling restarts under load`,
    outcome: `${tally.charged} answers charged, ${tally.used} units used, ${tally.unavailable} told to come again; slowest stop ${tally.slowestStopMs.toFixed(0)} ms`,
    wrong: [...tally.broken, ...(tally.used === tally.charged ? [] : ["used is not what was answered"])],
  };
}

/** The figures of the proxy, by the name that is asked for. */
export const PROXY_FIGURES: readonly (readonly [string, (length: Length) => Promise<Row>])[] = [
  ["F8", (length) => boundary(100, 100, length)],
  ["F8-10000", (length) => boundary(10_000, 25, length)],
  ["F8", simulated],
  ["F11", clocks],
  ["F12", stores],
  ["F13", fuzzed],
  ["F18", slow],
  ["F20", endings],
  ["F21", restarts],
];
