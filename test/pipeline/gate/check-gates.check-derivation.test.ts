import { describe, expect, it } from "vitest";
import type { GateOverride } from "../../../pipeline/gate/gate-rules.ts";
import { findingsOf } from "./valid-set.ts";

const checkDerivation = (count: number, overrides: readonly GateOverride[] = []) =>
  findingsOf("EVIDENCE_DIFFERS", { differences: differences(count), overrides });

const differences = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `daos.json ${index}.gvs`,
    published: 5.1,
    recomputed: index === 1 ? undefined : 5.2,
  }));

describe("EVIDENCE_DIFFERS", () => {
  it.each([
    { why: "everything follows", count: 0, want: 0 },
    { why: "a few differ, all named", count: 5, want: 5 },
    { why: "many differ, the rest counted", count: 300, want: 6 },
  ])("$why", ({ count, want }) => {
    expect(checkDerivation(count)).toHaveLength(want);
  });

  it("says which number, what it is, and what its evidence gives", () => {
    const findings = checkDerivation(7, ["evidence"]);
    expect(findings.map(({ severity }) => severity)).toEqual(Array(6).fill("warn"));
    expect(findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "daos.json 0.gvs: is 5.1, but its evidence gives 5.2",
        "daos.json 1.gvs: is 5.1, but its evidence gives nothing",
        "2 more numbers do not follow from their evidence",
      ]),
    );
  });
});
