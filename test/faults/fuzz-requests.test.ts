import { describe, expect, it } from "vitest";
import { FIXTURE_ENTITY_ID, walletOf } from "../support/published-set.ts";
import { fuzzConnection, fuzzRequests } from "./fuzz-requests.ts";
import { startProxyInProcess } from "./proxy-in-process.ts";
import { chosenSeed, seededRandom } from "./seeded-random.ts";

/** A sample: `npm run test:faults:long -- F13` sends a million. */
const REQUESTS = 5_000;

describe("fuzzed requests (F13)", () => {
  it(`answers ${REQUESTS} of them in the envelope or not at all, and logs nothing of them`, async () => {
    const seed = chosenSeed();
    const { requests, answers, byStatus, logBytes, wrong } = await fuzzRequests(
      REQUESTS,
      seed,
      startProxyInProcess,
    );
    expect(wrong, `FAULTS_SEED=${seed}`).toEqual([]);
    // A generator of nothing but rubbish, or a log that nobody writes, would prove little.
    expect(requests).toBeGreaterThanOrEqual(REQUESTS);
    expect(answers).toBeGreaterThan(REQUESTS / 4);
    for (const status of [200, 204, 400, 401, 404, 405, 431]) {
      expect(byStatus.get(status) ?? 0, `answers with ${status}, FAULTS_SEED=${seed}`).toBeGreaterThan(0);
    }
    expect(logBytes).toBeGreaterThan(1_000);
  });

  it("makes the same connection again from the same seed", () => {
    const world = { keys: ["a", "b"], entityId: FIXTURE_ENTITY_ID, wallet: walletOf(1) };
    const once = Array.from({ length: 50 }, (_, n) => fuzzConnection(world, seededRandom(n)));
    const again = Array.from({ length: 50 }, (_, n) => fuzzConnection(world, seededRandom(n)));
    expect(again).toEqual(once);
  });
});
