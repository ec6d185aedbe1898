import { describe, expect, it } from "vitest";
import { startProxyInProcess } from "./proxy-in-process.ts";
import { canBeSlow, SLOW_MODES, slowCallers } from "./slow-callers.ts";

describe("slow callers (F18)", () => {
  // The figures, in milliseconds, belong to the long run: `npm run test:faults:long -- F18`.
  it.skipIf(!canBeSlow())(
    "are all cut off, and a good caller is answered meanwhile (needs slowhttptest)",
    async () => {
      const { attackers, goodAnswers, wrong } = await slowCallers(
        SLOW_MODES,
        {
          connections: 25,
          seconds: 2,
        },
        startProxyInProcess,
      );
      expect(wrong).toEqual([]);
      expect(goodAnswers).toBeGreaterThan(0);
      expect(attackers).toBeGreaterThan(25);
    },
  );
});
