import { expect, it } from "vitest";
import { raceTwoPublishers } from "../../faults/two-publishers.ts";

const TIMES = 12;

it("lets one of two publishers through at a time, and refuses the other in plain words", async () => {
  const { broken, locked, published, sequence } = await raceTwoPublishers(TIMES);
  expect(broken).toEqual([]);
  expect(published.length + locked).toBe(2 * TIMES);
  expect(published).toEqual(Array.from({ length: sequence }, (_, at) => at + 1));
});
