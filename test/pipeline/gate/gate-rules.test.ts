import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GATE_CODES, GATE_OVERRIDES, GATE_RULES } from "../../../pipeline/gate/gate-rules.ts";

const readme = readFileSync(new URL("../../../pipeline/gate/README.md", import.meta.url), "utf8");

describe("GATE_RULES", () => {
  it.each(GATE_CODES)("%s stands in the README with its limit, its reason and the way past it", (code) => {
    const { asks, limit, reason, override, severity } = GATE_RULES[code];
    const way = override === undefined ? (severity === "warn" ? "only a warning" : "–") : `\`${override}\``;
    expect(readme).toContain(`| \`${code}\` | ${asks} | ${limit} | ${reason} | ${way} |`);
  });

  it("has a rule for every override, and one override a rule", () => {
    const named = Object.values(GATE_RULES).flatMap(({ override }) => override ?? []);
    expect(named.toSorted()).toEqual([...GATE_OVERRIDES].toSorted());
  });

  it("has no row for a gate that is not there", () => {
    expect(readme.match(/^\| `[A-Z_]+` \|/gm)).toHaveLength(GATE_CODES.length);
  });
});
