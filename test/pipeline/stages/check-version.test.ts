import { describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import { readLiveOptOuts } from "../../../pipeline/home/opt-outs.ts";
import { placeDaos } from "../../../pipeline/stages/build-version.ts";
import { checkVersion } from "../../../pipeline/stages/check-version.ts";
import type { VersionLists } from "../../../snapshots/format/published-set.ts";
import { appendLines } from "../../support/journey/stage.ts";
import { LEAF, makeStands, NOW_MS } from "../cli/stand.ts";
import { listOf, visitAll, withOpenHome } from "./visited-version.ts";

const { published } = await makeStands();
const stand = published();

/** Codes of what the gates find in the version that was published, once scores or lists are changed. */
const codesOf = (
  {
    scored,
    lists = (same) => same,
  }: Partial<{ scored: Change<ScoredDao>; lists: Change<VersionLists> }> = {},
  nowMs = NOW_MS,
) =>
  withOpenHome(
    stand,
    async (home) => {
      const visited = (await visitAll(home, scored)).version;
      const version = { ...visited, lists: lists(visited.lists) };
      const gated = (await listOf(placeDaos(version, home.registry))).map((placed) => placed.gated);
      const live = readLiveOptOuts(home.settings);
      const { findings } = await checkVersion({ ...home, live, version, gated, overrides: [], nowMs });
      return [...new Set(findings.map(({ code }) => code))];
    },
    nowMs,
  );

type Change<Value> = (value: Value) => Value;

describe("checkVersion", () => {
  it.each<{ why: string; change: Parameters<typeof codesOf>[0]; want: string[] }>([
    { why: "finds nothing in what was published", change: {}, want: [] },
    {
      why: "derives every score again from its evidence",
      change: {
        scored: ({ current, ...scored }) => {
          const { risk } = current;
          return { ...scored, current: { ...current, risk: risk && { ...risk, activeVoterCount: 1 } } };
        },
      },
      want: ["EVIDENCE_DIFFERS"],
    },
    {
      why: "derives the lists again from the evidence of all DAOs",
      change: {
        lists: (lists) => {
          const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
          return { ...lists, dgi: { composite: 1, components, dao_count: 2, calculated_at: lists.asOf } };
        },
      },
      want: ["EVIDENCE_DIFFERS"],
    },
    {
      why: "compares completeness with the version before",
      change: {
        scored: ({ current, ...scored }) => ({ ...scored, current: { ...current, completenessPct: 1 } }),
      },
      want: ["EVIDENCE_DIFFERS", "COMPLETENESS_FELL"],
    },
  ])("$why", async ({ change, want }) => {
    expect(await codesOf(change)).toEqual(want);
  });

  it("asks the clock when the version before was made and its data fetched", async () => {
    expect(await codesOf({}, NOW_MS - 1)).toEqual(["CLOCK_WENT_BACK"]);
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
