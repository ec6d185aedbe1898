import { describe, expect, it } from "vitest";
import { checkGates, type GateInput } from "../../../pipeline/gate/check-gates.ts";
import { GATE_CODES } from "../../../pipeline/gate/gate-finding.ts";
import { ReasonCode } from "../../../snapshots/format/ids.ts";
import { entityIdOf, walletOf } from "../documents/scored-daos.ts";
import { validSet, withDao } from "./valid-set.ts";

const LANTERN = { entityId: entityIdOf("lantern"), label: "Lantern Labs", wallets: [walletOf(2)] };

const inputOf = (change: Partial<GateInput>): GateInput => ({
  set: validSet(),
  optedOut: [],
  previous: undefined,
  votes: 10,
  votesOfSpace: new Map(),
  previousOptOuts: undefined,
  overrides: [],
  ...change,
});

describe("checkGates", () => {
  it("finds nothing in a first, valid version", () => {
    expect(checkGates(inputOf({}))).toEqual([]);
  });

  it("looks through every gate, whatever the one before found", () => {
    const set = withDao({ gvs: Number.NaN, rank: 7 });
    const previous = {
      asOf: set.asOf,
      methodologyVersion: "1.0.0",
      daos: validSet().daos,
      votes: 100,
      votesOfSpace: new Map(),
    };
    const codes = checkGates(inputOf({ set, previous, optedOut: [LANTERN], previousOptOuts: 9 })).map(
      ({ code }) => code,
    );
    expect([...new Set(codes)]).toEqual([
      "SHAPE_INVALID",
      "PARTS_DISAGREE",
      "OPTED_OUT_NAMED",
      "VOTES_FELL",
      "SCORE_JUMPED",
      "OPT_OUTS_FELL",
    ]);
  });

  it("counts as opted out whom it was given", () => {
    const stranger = { entityId: entityIdOf("x"), label: "x", wallets: [walletOf(0xdead)] };
    expect(checkGates(inputOf({ optedOut: [stranger], previousOptOuts: 1 }))).toEqual([]);
  });

  it.each(["dao-count", "votes", "score-jump", "opt-outs", "previous"] as const)(
    "lets nobody override a shape with %s",
    (name) => {
      const [finding] = checkGates(inputOf({ set: withDao({ gvs: 11 }), overrides: [name] }));
      expect(finding?.severity).toBe("refuse");
    },
  );

  it.each(GATE_CODES)("%s may stand in a run report", (code) => {
    expect(ReasonCode.safeParse(code).success).toBe(true);
  });
});
