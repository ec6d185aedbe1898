import { expect, it } from "vitest";
import { canMountSmallDisk, fillDisks } from "../../faults/full-disk.ts";

// Linux, and a user who may make namespaces; elsewhere a failing write stands for a full disk (publish-every-fault).
it.runIf(canMountSmallDisk())(
  "leaves the old version whole on a full disk, says so, and goes on once there is room",
  async () => {
    const tally = await fillDisks([520], 6);
    expect(tally.broken).toEqual([]);
    expect(tally.full).toBeGreaterThan(0);
    expect(tally.published).toBeGreaterThan(1);
  },
);
