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

/** What was done for a figure, what came of it, and every single thing that was wrong. */
interface Result {
  readonly did: string;
  readonly outcome: string;
  readonly wrong: readonly string[];
}

/** Figures by the name that is asked for. */
export type Figures = Readonly<Record<string, () => Promise<Result>>>;

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

/** The figures of the proxy, from a seed; `scaled` says how often each thing is done. */
export const proxyFigures = (seed: number, scaled: (count: number) => number): Figures => {
  const boundary = async (limit: number, runs: number) => {
    const options = { proxies: [1, 2, 4], limit, runs: scaled(runs), killRuns: scaled(runs), kills: 2, seed };
    const { broken, ...tally } = await onStage((stage) => quotaBoundary(stage, options));
    return {
      did: `limit ${limit}: ${tally.runs} runs of 1, 2 and 4 proxies under 200 connections, ${tally.kills} kills -9 in half of them`,
      outcome: `${tally.answers} answers; ${tally.lost} units lost with a killed process, ${tally.busy} asked again`,
      wrong: broken,
    };
  };
  return {
    F8: () => boundary(100, 100),
    "F8-10000": () => boundary(10_000, 25),
    "F8-simulated": async () => {
      const { broken, ...tally } = await simulateQuota({ runs: scaled(2_000), steps: 120, seed });
      return {
        did: `${tally.runs} worlds, ${tally.requests} requests, ${tally.crashes} crashes, ${tally.faults} faults`,
        outcome: `${tally.served} served, ${tally.refunds} given back`,
        wrong: broken,
      };
    },
    F11: async () => {
      const hasFaketime = existsSync(FAKETIME_LIBRARY);
      const kinds = hasFaketime ? (["argument", "faketime"] as const) : (["argument"] as const);
      const tallies = [];
      for (const clock of kinds) {
        const options = { proxies: 2, connections: 20, limit: 100, clock };
        tallies.push(await onStage((stage) => quotaClock(stage, options)));
      }
      const answers = tallies.reduce((sum, tally) => sum + tally.answers, 0);
      return {
        did: `midnight, an hour back, 25 hours ahead; clock by ${kinds.join(" and ")}`,
        outcome: `${answers} answers, never more than the limit on a day`,
        wrong: tallies.flatMap(({ broken }) => broken),
      };
    },
    F12: async () => {
      const able = { strace: canStrace(), mount: canMountSmallDisk() };
      const tally = await onStage((stage) => quotaStoreFaults(stage, able));
      return {
        did: tally.faults.join(", "),
        outcome: `${tally.unavailable} answers were 503, ${tally.answers} others; each recovered by itself`,
        wrong: tally.broken,
      };
    },
    F13: async () => {
      const { byStatus, wrong, ...tally } = await fuzzRequests(scaled(1_000_000), seed);
      const statuses = [...byStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`);
      return {
        did: `${tally.requests} raw requests on ${tally.connections} connections`,
        outcome: `${tally.answers} answers (${statuses.join(", ")}), ${tally.resets} resets, memory ${tally.rssGrowthMb.toFixed(0)} MB more`,
        wrong,
      };
    },
    F18: async () => {
      if (!canBeSlow()) return { did: "not run: no slowhttptest here", outcome: "-", wrong: [] };
      const { wrong, goodP99Ms, longestMs, ...tally } = await slowCallers(SLOW_MODES, {
        connections: 200,
        seconds: 30,
      });
      return {
        did: `${tally.attackers} attackers, slow with ${SLOW_MODES.join(", ")}`,
        outcome: `a good caller's p99 ${goodP99Ms.toFixed(0)} ms over ${tally.goodAnswers} answers; an attacker's socket lived ${(longestMs / 1000).toFixed(1)} s at most`,
        wrong: [
          ...wrong,
          ...(goodP99Ms < GOOD_P99_MAX_MS ? [] : ["a good caller waits too long"]),
          ...(longestMs <= ATTACKER_MAX_MS ? [] : ["an attacker is kept too long"]),
        ],
      };
    },
    F20: async () => {
      const options = { proxies: 2, keys: scaled(60), seed };
      const tally = await onStage((stage) => endKeysUnderLoad(stage, options));
      return {
        did: `${tally.keys} keys revoked, rotated or expired under load, ${tally.answers} answers`,
        outcome: `the last good one ${tally.latestMs.toFixed(0)} ms after its key's end; ${tally.searchedBytes} bytes of log and metrics hold no key`,
        wrong: tally.broken,
      };
    },
    F21: async () => {
      const { broken, charged, used, ...tally } = await rollingRestarts(scaled(50));
      return {
        did: `${tally.restarts} rolling restarts under load`,
        outcome: `${charged} answers charged, ${used} units used, ${tally.unavailable} told to come again; slowest stop ${tally.slowestStopMs.toFixed(0)} ms`,
        wrong: [...broken, ...(used === charged ? [] : ["used is not what was answered"])],
      };
    },
  };
};
