import { expect, it } from "vitest";
import { fuzzRequests } from "./fuzz-requests.ts";
import { chosenSeed } from "./seeded-random.ts";
import { canBeSlow, SLOW_MODES, slowCallers } from "./slow-callers.ts";

// Samples: `npm run test:faults:long -- F13 F18` sends a million, and measures how long a good caller waits.
const REQUESTS = 5_000;

it(`answers ${REQUESTS} fuzzed requests in the envelope or not at all, and logs nothing of them (F13)`, async () => {
  const seed = chosenSeed();
  const { requests, answers, byStatus, logBytes, wrong } = await fuzzRequests(REQUESTS, seed);
  expect(wrong, `FAULTS_SEED=${seed}`).toEqual([]);
  // A generator of nothing but rubbish, or a log that nobody writes, would prove little.
  expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  expect(answers).toBeGreaterThan(REQUESTS / 4);
  for (const status of [200, 204, 400, 401, 404, 405, 431]) {
    expect(byStatus.get(status) ?? 0, `answers with ${status}, FAULTS_SEED=${seed}`).toBeGreaterThan(0);
  }
  expect(logBytes).toBeGreaterThan(1_000);
});

it.skipIf(!canBeSlow())(
  "cuts off every slow caller, and answers a good one meanwhile (F18, needs slowhttptest)",
  async () => {
    const { attackers, goodAnswers, wrong } = await slowCallers(SLOW_MODES, { connections: 25, seconds: 2 });
    expect(wrong).toEqual([]);
    expect(goodAnswers).toBeGreaterThan(0);
    expect(attackers).toBeGreaterThan(25);
  },
);
