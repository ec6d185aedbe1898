import { describe, expect, it } from "vitest";
import { runFaultCampaign } from "../../faults/fault-campaign.ts";
import { FAULT_CODES, OPERATION_KINDS } from "../../faults/faulty-disk.ts";
import { fillRoot } from "../../faults/staged-root.ts";
import { temporaryRoot } from "./temporary-root.ts";

/** One code for each n, so that every code meets every kind; the long run tries all of them at every n. */
const inTurn = (kind: (typeof OPERATION_KINDS)[number], nth: number) => {
  const code = FAULT_CODES[(OPERATION_KINDS.indexOf(kind) + nth) % FAULT_CODES.length];
  return code === undefined ? [] : [code];
};

describe("publishSnapshot, with the n-th operation of each kind failing, for every n", () => {
  it("leaves a root with versions, staging and an abandoned version whole, says why, and tidies up the next time", async () => {
    const root = temporaryRoot();
    await fillRoot(root);
    const { broken, byKind, faults, refused } = await runFaultCampaign(root, inTurn);
    expect(broken).toEqual([]);
    expect([...byKind.keys()]).toEqual([...OPERATION_KINDS]);
    expect(byKind.get("link")).toBeGreaterThan(5);
    expect(byKind.get("syncDirectory")).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(faults / 2);
  });
});
