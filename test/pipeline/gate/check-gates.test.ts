import { describe, expect, it } from "vitest";
import { checkGates } from "../../../pipeline/gate/check-gates.ts";
import { finding, GATE_OVERRIDES, GATE_RULES } from "../../../pipeline/gate/gate-rules.ts";
import { ReasonCode } from "../../../snapshots/format/ids.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import { findingsOf, gateInput, validSet, withDao, withListing } from "./valid-set.ts";

const LANTERN = { entityId: entityIdOf("lantern"), label: "Lantern Labs", wallets: [walletOf(2)] };

describe("checkGates", () => {
  it("finds nothing in a first, valid version", () => {
    const { findings, checked } = checkGates(gateInput({}));
    expect(findings).toEqual([]);
    expect(checked?.map(({ path }) => path)).toEqual([
      "daos.json",
      `entities/${entityIdOf("lantern")}.json`,
      "rankings.json",
      "unscored.json",
    ]);
  });

  it("looks through every gate, whatever the one before found", () => {
    const set = withDao({ gvs: Number.NaN, rank: 7 });
    const previous = {
      asOf: set.asOf,
      methodologyVersion: set.methodologyVersion,
      daos: validSet().daos,
      votes: 100,
      votesOfSpace: new Map(),
      createdAt: "2026-04-01T06:00:00.000Z",
      completenessOfSpace: new Map(set.details.map((dao) => [dao.space_id, 100])),
      rows: [],
    };
    const input = {
      set: { ...set, details: set.details.map((dao) => ({ ...dao, data_completeness: 60 })) },
      previous,
      optedOut: [LANTERN],
      previousOptOuts: 9,
      rows: [{ spaceId: "tidewater", taken: 10, rejected: 100 }],
      differences: [{ path: "daos.json 0.gvs", published: 1, recomputed: 2 }],
      fetchTimes: [{ what: "archive", fetchedAt: "2026-04-02T00:00:00.000Z" }],
    };
    const { findings, checked } = checkGates(gateInput(input));
    expect(checked).toBeUndefined();
    expect([...new Set(findings.map(({ code }) => code))]).toEqual([
      "SHAPE_INVALID",
      "PARTS_DISAGREE",
      "OPTED_OUT_NAMED",
      "EVIDENCE_DIFFERS",
      "CLOCK_WENT_BACK",
      "FUTURE_DATA",
      "REJECTED_ROWS_ROSE",
      "VOTES_FELL",
      "SCORE_JUMPED",
      "COMPLETENESS_FELL",
      "OPT_OUTS_FELL",
    ]);
  });

  it("looks when the latest listing of each DAO was fetched", () => {
    const fetched_at = "2026-04-02T00:00:00.000Z";
    const set = withListing((each) => ({ ...each, latest: { ...each.latest, fetched_at } }));
    expect(findingsOf("FUTURE_DATA", { set }).map(({ message }) => message)).toEqual([
      expect.stringMatching(/^delegates\/tidewater\/latest\.json was fetched at 2026-04-02/),
    ]);
  });

  it("gathers what was found in the documents of each DAO, and refuses the lists with them", () => {
    const [first, ...rest] = gateInput({}).daos;
    if (first === undefined) throw new Error("the small world has DAOs");
    const differences = [{ path: "evidence/orchard.json gvs.low", published: 1, recomputed: 2 }];
    const findings = [finding("FRAME_FROM_FUTURE", "0x1 is scored before it ended")];
    const daos = [{ ...first, findings, differences }, ...rest];
    const result = checkGates(gateInput({ daos }));
    expect(result.findings.map(({ code }) => code)).toEqual(["FRAME_FROM_FUTURE", "EVIDENCE_DIFFERS"]);
    expect(result.checked).toBeUndefined();
  });

  it.each(GATE_OVERRIDES)("lets nobody override a shape with %s", (name) => {
    const [found] = findingsOf("SHAPE_INVALID", { set: withDao({ gvs: 11 }), overrides: [name] });
    expect(found?.severity).toBe("refuse");
  });

  it("gives what a warning lets pass, and nothing where one gate of many refuses", () => {
    const differences = [{ path: "daos.json 0.gvs", published: 1, recomputed: 2 }];
    expect(checkGates(gateInput({ differences, overrides: ["evidence"] })).checked).toBeDefined();
    expect(checkGates(gateInput({ differences })).checked).toBeUndefined();
  });

  it.each(Object.keys(GATE_RULES))("%s may stand in a run report", (code) => {
    expect(ReasonCode.safeParse(code).success).toBe(true);
  });
});
