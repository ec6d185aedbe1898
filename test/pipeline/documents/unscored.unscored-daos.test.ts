import { describe, expect, it } from "vitest";
import { buildUnscoredList, GAP_MESSAGES } from "../../../pipeline/documents/unscored.ts";
import { GAP_REASONS, gap, points } from "../../../pipeline/score/method/dao-score.ts";
import { ReasonCode } from "../../../snapshots/format/ids.ts";
import { type DaoOptions, noProposals, scoredDao } from "./scored-daos.ts";

const INCOMPLETE = gap("COMPONENT_GAP");

describe("buildUnscoredList", () => {
  it.each<{ why: string; dao: DaoOptions; reasons: [string, string][]; components: object }>([
    {
      why: "one component is missing",
      dao: { gvs: INCOMPLETE, components: { dei: gap("POWER_UNKNOWN"), hpr: points(1.006) } },
      reasons: [["dei", "POWER_UNKNOWN"]],
      components: { hpr: 1.01, pdi: 5, gpi: 5 },
    },
    {
      why: "all are, in the order of the components",
      dao: {
        gvs: INCOMPLETE,
        components: {
          gpi: gap("PROCESS_UNKNOWN"),
          pdi: gap("DELIBERATION_UNKNOWN"),
          dei: gap("POWER_UNKNOWN"),
          hpr: gap("NO_VOTERS"),
        },
      },
      reasons: [
        ["hpr", "NO_VOTERS"],
        ["dei", "POWER_UNKNOWN"],
        ["pdi", "DELIBERATION_UNKNOWN"],
        ["gpi", "PROCESS_UNKNOWN"],
      ],
      components: {},
    },
    {
      why: "nothing was voted on: said once, of the whole DAO",
      dao: { current: noProposals("orchard") },
      reasons: [["dao", "NO_PROPOSALS"]],
      components: {},
    },
    {
      why: "the whole has one reason and a component another",
      dao: {
        gvs: gap("NO_PROPOSALS"),
        components: { hpr: gap("NO_PROPOSALS"), gpi: gap("PROCESS_UNKNOWN") },
      },
      reasons: [
        ["dao", "NO_PROPOSALS"],
        ["gpi", "PROCESS_UNKNOWN"],
      ],
      components: { dei: 5, pdi: 5 },
    },
    {
      why: "0 points are points",
      dao: { gvs: INCOMPLETE, components: { hpr: points(0), dei: gap("POWER_UNKNOWN") } },
      reasons: [["dei", "POWER_UNKNOWN"]],
      components: { hpr: 0, pdi: 5, gpi: 5 },
    },
  ])("$why", ({ dao, reasons, components }) => {
    const [unscored] = buildUnscoredList([scoredDao(dao)]);
    expect(unscored?.reasons.map(({ scope, code }) => [scope, code])).toEqual(reasons);
    expect(unscored?.components).toEqual(components);
    expect(unscored?.assessed_at).toBe("2026-03-31T23:59:59.999Z");
  });

  it("gives completeness where it is known", () => {
    const of = (completenessPct: number | undefined) =>
      buildUnscoredList([
        scoredDao({ gvs: INCOMPLETE, components: { hpr: gap("NO_VOTERS") }, completenessPct }),
      ])[0];
    expect(of(33.336)?.data_completeness).toBe(33.34);
    expect(of(0)?.data_completeness).toBe(0);
    expect(of(undefined)).not.toHaveProperty("data_completeness");
  });

  it("lists DAOs without a gvs, by space_id", () => {
    const wishes = ["b", "a", "c"].map((spaceId) => scoredDao({ spaceId, current: noProposals(spaceId) }));
    expect(buildUnscoredList([...wishes, scoredDao()]).map((dao) => dao.space_id)).toEqual(["a", "b", "c"]);
  });

  it("stops on a DAO without a score and without a reason", () => {
    expect(() => buildUnscoredList([scoredDao({ gvs: INCOMPLETE })])).toThrow("no reason");
  });
});

describe("GAP_MESSAGES", () => {
  it.each(GAP_REASONS)("says in one plain sentence what %s means", (reason) => {
    expect(ReasonCode.safeParse(reason).success).toBe(true);
    expect(GAP_MESSAGES[reason]).toMatch(/^[A-Z][^_]{20,160}\.$/);
  });
});
