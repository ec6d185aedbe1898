import { describe, expect, it } from "vitest";
import { isPipelineFailure, type PipelineFailure } from "../../../pipeline/facts/errors.ts";
import { checkGates } from "../../../pipeline/gate/check-gates.ts";
import type { GateFinding } from "../../../pipeline/gate/gate-rules.ts";
import { requirePassed } from "../../../pipeline/gate/require-passed.ts";
import { gateInput } from "./valid-set.ts";

const FELL: GateFinding = {
  code: "VOTES_FELL",
  severity: "refuse",
  override: "votes",
  message: "orchard: 799 votes are stored, 1000 before",
  compared: { was: "1000", is: "799", limit: "at least 800" },
};
const BROKEN: GateFinding = {
  code: "SHAPE_INVALID",
  severity: "refuse",
  message: "daos.json 0 gvs: too big",
};
const FUTURE: GateFinding = {
  code: "FUTURE_DATA",
  severity: "refuse",
  override: "future-data",
  message: "as_of is ahead",
  compared: { is: "b", limit: "not after a" },
};

function refusal(findings: readonly GateFinding[]): PipelineFailure {
  try {
    requirePassed({ findings, checked: undefined });
  } catch (error) {
    if (isPipelineFailure(error)) return error;
  }
  throw new Error("nothing was refused");
}

describe("requirePassed", () => {
  it("lets warnings pass", () => {
    const { checked } = checkGates(gateInput({}));
    expect(checked).toBeDefined();
    expect(requirePassed({ findings: [{ ...FELL, severity: "warn" }], checked })).toBe(checked);
  });

  it("says what, was, is, limit, and how to go on", () => {
    const { code, message, hint, data } = refusal([FELL, FELL, { ...FUTURE, severity: "warn" }, FUTURE]);
    expect([code, data?.gates]).toEqual(["GATE_REFUSED", ["VOTES_FELL", "FUTURE_DATA"]]);
    expect(message.split("\n")).toEqual([
      "a gate refused this version:",
      ...Array(2).fill(
        "  VOTES_FELL: orchard: 799 votes are stored, 1000 before (was 1000; is 799; allowed: at least 800)",
      ),
      "  FUTURE_DATA: as_of is ahead (is b; allowed: not after a)",
    ]);
    expect(hint).toBe("Nothing was published. If this is right: --allow votes --allow future-data");
  });

  it("names no way past where there is none", () => {
    const { message, hint } = refusal([FELL, BROKEN]);
    expect(message).toContain("  SHAPE_INVALID: daos.json 0 gvs: too big (cannot be allowed)");
    expect(hint).not.toContain("--allow");
  });

  it("stays readable when hundreds are refused", () => {
    const lines = refusal([...Array<GateFinding>(300).fill(BROKEN), FELL]).message.split("\n");
    expect(lines).toHaveLength(13);
    expect(lines[11]).toBe("  SHAPE_INVALID: 290 more");
  });
});
