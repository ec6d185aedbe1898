import { expect, it } from "vitest";
import { rollingRestarts } from "../../faults/rolling-restarts.ts";

// A sample; `npm run test:faults:long -- F21` does fifty.
it("three restarts under load: nobody sees a reset, and what was used is what was answered", async () => {
  const { broken, charged, used, unavailable } = await rollingRestarts(3);
  expect(broken).toEqual([]);
  expect(charged).toBeGreaterThan(100);
  expect(used).toBe(charged);
  // It serves on while callers leave, so there is no need for any.
  expect(unavailable).toBe(0);
});
