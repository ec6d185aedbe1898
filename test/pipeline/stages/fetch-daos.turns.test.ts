import { expect, it } from "vitest";
import { createTurns } from "../../../pipeline/stages/fetch-daos.ts";

it("lets one in after the other, in the order of asking, and none before the last one is through", async () => {
  const takeTurn = createTurns();
  const said: string[] = [];
  const ends: (() => void)[] = [];
  const asking = ["a", "b", "c"].map(async (name) => {
    const end = await takeTurn();
    said.push(name);
    ends.push(end);
  });
  await asking[0];
  await Promise.resolve();
  expect(said).toEqual(["a"]);
  ends[0]?.();
  await asking[1];
  expect(said).toEqual(["a", "b"]);
  ends[1]?.();
  await asking[2];
  expect(said).toEqual(["a", "b", "c"]);
});
