import { describe, expect, it } from "vitest";
import { readLiveOptOuts } from "../../../pipeline/home/opt-outs.ts";
import { buildVersion, type VersionPlan } from "../../../pipeline/stages/build-version.ts";
import { checkVersion } from "../../../pipeline/stages/check-version.ts";
import { appendLines } from "../../support/journey/stage.ts";
import { LEAF, makeStands, NOW_MS } from "../cli/stand.ts";
import { withPlan, withScored } from "./planned-version.ts";

const { published } = await makeStands();
const stand = published();

/** Codes of what the gates find in the very version that is published, once its plan was changed. */
const codesOf = (change: (plan: VersionPlan) => VersionPlan, nowMs = NOW_MS) =>
  withPlan(
    stand,
    async ({ plan: planned, settings, registry, warehouse, effects }) => {
      const plan = change(planned);
      const build = buildVersion(plan, { registry, threads: undefined, effects, isRendered: false });
      for await (const _ of build.parts());
      const live = readLiveOptOuts(settings);
      const { lists } = plan;
      const input = { settings, registry, live, warehouse, lists, build, overrides: [], nowMs };
      return [...new Set((await checkVersion(input)).findings.map(({ code }) => code))];
    },
    nowMs,
  );

describe("checkVersion", () => {
  it.each<{ why: string; change: (plan: VersionPlan) => VersionPlan; want: string[] }>([
    { why: "finds nothing in what was published", change: (plan) => plan, want: [] },
    {
      why: "derives every score again from its evidence",
      change: (plan) =>
        withScored(plan, ({ current, ...scored }) => {
          const { risk } = current;
          return { ...scored, current: { ...current, risk: risk && { ...risk, activeVoterCount: 1 } } };
        }),
      want: ["EVIDENCE_DIFFERS"],
    },
    {
      why: "derives the lists again from the evidence of all DAOs",
      change: ({ lists, ...plan }) => {
        const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
        const dgi = { composite: 1, components, dao_count: 2, calculated_at: lists.asOf };
        return { ...plan, lists: { ...lists, dgi } };
      },
      want: ["EVIDENCE_DIFFERS"],
    },
    {
      why: "compares completeness with the version before",
      change: (plan) =>
        withScored(plan, ({ current, ...scored }) => ({
          ...scored,
          current: { ...current, completenessPct: 1 },
        })),
      want: ["EVIDENCE_DIFFERS", "COMPLETENESS_FELL"],
    },
  ])("$why", async ({ change, want }) => {
    expect(await codesOf(change)).toEqual(want);
  });

  it("asks the clock when the version before was made and its data fetched", async () => {
    expect(await codesOf((plan) => plan, NOW_MS - 1)).toEqual(["CLOCK_WENT_BACK"]);
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
