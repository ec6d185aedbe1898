import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GATE_LIMITS, GATE_OVERRIDES, GATE_RULES, type GateCode } from "../../../pipeline/gate/gate-rules.ts";

const readme = readFileSync(new URL("../../../pipeline/gate/README.md", import.meta.url), "utf8");
const rules = Object.entries(GATE_RULES).map(([code, rule]) => ({ code: code as GateCode, rule }));

const { fallAllowed, comparableDays, completenessMeanFallPct } = GATE_LIMITS;
const FIFTH = `${fallAllowed.part}/${fallAllowed.of} fewer`;
const NEAR = `(within ${comparableDays} days, same method)`;

/** What the README says of a limit, where a gate has one. */
const LIMITS: Partial<Record<GateCode, string>> = {
  FUTURE_DATA: `as_of: none; fetches: ${GATE_LIMITS.clockSkewMinutes} minutes`,
  REJECTED_ROWS_ROSE: `over ${GATE_LIMITS.rejectedPct} %, and over ${GATE_LIMITS.rejectedRisePct} point above the version before; at least ${GATE_LIMITS.rejectedRowsMin} rows`,
  FIRST_VERSION_THIN: "fewer than half could be fetched",
  DAO_COUNT_FELL: `${FIFTH}; far apart, only a warning unless no DAO is left`,
  VOTES_FELL: FIFTH,
  SCORE_JUMPED: `${GATE_LIMITS.scoreJumpPoints} points ${NEAR}`,
  COMPLETENESS_FELL: `${completenessMeanFallPct} points the mean, ${GATE_LIMITS.completenessFallPct} points one DAO ${NEAR}`,
  OPT_OUTS_FELL: FIFTH,
  AS_OF_FAR: `${comparableDays} days`,
};

describe("GATE_RULES", () => {
  it.each(rules)("$code stands in the README with its limit and the way past it", ({ code, rule }) => {
    const row = readme.match(new RegExp(`^\\| \`${code}\` \\|(.+)\\|$`, "m"))?.[1] ?? "";
    const [asks, limit, way] = row.split("|").map((cell) => cell.trim());
    expect(asks).toMatch(/\w/);
    expect(limit).toBe(LIMITS[code] ?? "none");
    expect(way).toBe(rule === "refuse" ? "–" : rule === "warn" ? "only a warning" : `\`${rule}\``);
  });

  it("has a rule for every override, and one override a rule", () => {
    const named = rules.map(({ rule }) => rule).filter((rule) => rule !== "refuse" && rule !== "warn");
    expect(named.toSorted()).toEqual([...GATE_OVERRIDES].toSorted());
  });

  it("stands in the README in the same order, and no other gate does", () => {
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
    expect(rows).toEqual(Object.keys(GATE_RULES));
  });
});
