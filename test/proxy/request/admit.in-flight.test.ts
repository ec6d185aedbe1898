import { describe, expect, it } from "vitest";
import { createInFlight } from "../../../proxy/request/admit.ts";

const enter = (inFlight: ReturnType<typeof createInFlight>, account: string, times: number) =>
  Array.from({ length: times }, () => inFlight.enter(account)).filter(Boolean).length;

describe("createInFlight", () => {
  it.each([
    { why: "a quarter of many", cap: 2_000, share: 500 },
    { why: "64 at least", cap: 100, share: 64 },
    { why: "never more than there are", cap: 10, share: 10 },
  ])("gives one account $why", ({ cap, share }) => {
    expect(enter(createInFlight(cap), "acme", cap + 1)).toBe(share);
  });

  it("gives others what one account may not have, up to the cap", () => {
    const inFlight = createInFlight(300);
    const counts = ["a", "b", "c", "d", "e"].map((account) => enter(inFlight, account, 300));
    expect(counts).toEqual([75, 75, 75, 75, 0]);
    expect(inFlight.count()).toBe(300);
  });

  it("counts out for the account and in all", () => {
    const inFlight = createInFlight(64);
    expect([enter(inFlight, "a", 65), enter(inFlight, "b", 1)]).toEqual([64, 0]);
    inFlight.leave("a");
    expect([inFlight.count(), inFlight.enter("b"), inFlight.enter("a")]).toEqual([63, true, false]);
    for (let left = 0; left < 63; left += 1) inFlight.leave("a");
    inFlight.leave("b");
    expect([inFlight.count(), enter(inFlight, "a", 65)]).toEqual([0, 64]);
  });
});
