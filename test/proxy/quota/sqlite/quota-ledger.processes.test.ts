import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endKeysUnderLoad } from "../../../faults/key-endings.ts";
import { quotaBoundary } from "../../../faults/quota-boundary.ts";
import { FAKETIME_LIBRARY, quotaClock } from "../../../faults/quota-clock.ts";
import { type QuotaStage, setQuotaStage } from "../../../faults/quota-stage.ts";
import { quotaStoreFaults } from "../../../faults/quota-store-faults.ts";
import { chosenSeed } from "../../../faults/seeded-random.ts";
import { canStrace } from "../../../faults/strace-faults.ts";

// A sample of each campaign; `npm run test:faults:long` runs them at length.
const seed = chosenSeed();
const said = `FAULTS_SEED=${seed}`;

describe("proxies in processes of their own", () => {
  let stage: QuotaStage;
  beforeAll(async () => {
    stage = await setQuotaStage();
  });
  afterAll(() => stage.end());

  it("answer 200 connections exactly up to the limit, alone and together, and never above it when killed", async () => {
    const options = { proxies: [1, 2], limit: 100, runs: 1, killRuns: 1, kills: 1, seed };
    const tally = await quotaBoundary(stage, options);
    expect(tally.broken, said).toEqual([]);
    expect(tally).toMatchObject({ runs: 3, kills: 1 });
    expect(tally.answers).toBeGreaterThanOrEqual(200);
  });

  const clock = existsSync(FAKETIME_LIBRARY) ? "faketime" : "argument";
  it(`keep every day's limit over midnight, an hour back and 25 hours ahead (${clock})`, async () => {
    const tally = await quotaClock(stage, { proxies: 1, connections: 4, limit: 40, clock });
    expect(tally.broken).toEqual([]);
    expect(tally.days).toBe(3);
  });

  it("let no key in a second after its end, and write none down", async () => {
    const tally = await endKeysUnderLoad(stage, { proxies: 1, keys: 3, seed });
    expect(tally.broken, said).toEqual([]);
    expect(tally.answers).toBeGreaterThan(50);
    expect(tally.searchedBytes).toBeGreaterThan(5000);
  });

  it("serve nobody from a counter that is harmed, and go on by themselves when it is right again", async () => {
    // A disk that is really full needs a proxy of its own: that is for the long run.
    const can = { strace: canStrace(), mount: false };
    const tally = await quotaStoreFaults(stage, can);
    expect(tally.broken).toEqual([]);
    expect(tally.faults).toHaveLength(6 + (can.strace ? 3 : 0));
    expect(tally.unavailable).toBeGreaterThanOrEqual(20);
  });
});
