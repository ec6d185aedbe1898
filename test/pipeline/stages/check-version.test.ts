import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHomeWarehouse, readRegistry } from "../../../pipeline/home/home.ts";
import { readLiveOptOuts } from "../../../pipeline/home/opt-outs.ts";
import { checkVersion } from "../../../pipeline/stages/check-version.ts";
import { computeVersion } from "../../../pipeline/stages/compute.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { appendLines } from "../../support/journey/edit-archive.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, PACKAGE_DIRECTORY } from "../cli/stand.ts";

const { published } = await makeStands();
const stand = published();
const settings = {
  homeDirectory: stand.home,
  snapshotsDirectory: stand.snapshots,
  registryPath: join(stand.archive, "registry.yaml"),
  packageDirectory: PACKAGE_DIRECTORY,
};

/** Codes of what the gates find in the very set that is published, once it was changed. */
async function codesOf(change: (set: PublishedSet) => PublishedSet, nowMs = NOW_MS) {
  const warehouse = openHomeWarehouse(settings);
  const registry = readRegistry(settings);
  const progress = { step: () => {}, tick: () => {}, warn: () => {} };
  const effects = { nowMs: () => nowMs, runId: "0123456789abcdef", progress };
  try {
    const { set } = await computeVersion({ registry, warehouse, asOfMs: Date.parse(AS_OF), effects });
    const live = readLiveOptOuts(settings);
    const input = { settings, registry, live, warehouse, set: change(set), overrides: [], nowMs };
    return [...new Set((await checkVersion(input)).findings.map(({ code }) => code))];
  } finally {
    warehouse.close();
  }
}

describe("checkVersion", () => {
  it.each<{ why: string; change: (set: PublishedSet) => PublishedSet; want: string[] }>([
    { why: "finds nothing in what was published", change: (set) => set, want: [] },
    {
      why: "derives every score again from its evidence",
      change: (set) => ({
        ...set,
        risks: set.risks.map((risk) => ({ ...risk, factors: { ...risk.factors, active_voter_count: 1 } })),
      }),
      want: ["EVIDENCE_DIFFERS"],
    },
    {
      why: "compares completeness with the version before",
      change: (set) => ({ ...set, details: set.details.map((dao) => ({ ...dao, data_completeness: 1 })) }),
      want: ["EVIDENCE_DIFFERS", "COMPLETENESS_FELL"],
    },
  ])("$why", async ({ change, want }) => {
    expect(await codesOf(change)).toEqual(want);
  });

  it("asks the clock when the version before was made and its data fetched", async () => {
    expect(await codesOf((set) => set, NOW_MS - 1)).toEqual(["CLOCK_WENT_BACK"]);
  });

  it("counts refused rows against the version before, so that a look is enough for all nights after", async () => {
    const spoilt = published();
    appendLines(spoilt.archive, `votes/${LEAF}.ndjson`, Array(250).fill("no vote"));
    expect(await spoilt.run()).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`REJECTED_ROWS_ROSE: ${LEAF}: 250 of `),
    });
    expect(await spoilt.run("--allow", "rejected-rows")).toMatchObject({ code: 0 });
    expect(await spoilt.run()).toMatchObject({ code: 0 });
  });
});
