import { describe, expect, it } from "vitest";
import { decentralizationMarks } from "../../../../pipeline/score/components/decentralization.ts";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import { componentOf, vitalityOf } from "../../../../pipeline/score/method/marks.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { textOf } from "../../../documents/documents.ts";

const text = textOf("pipeline/score/METHODOLOGY.md");
/** What somebody wrote: no generated part, each run of white space one blank. */
const prose = text
  .replaceAll(/<!-- generated: (?:[^>]+) -->[\s\S]*?<!-- end -->/g, "")
  .replaceAll(/\s+/g, " ");
/** What is written under one heading. */
function sectionOf(heading: string): string {
  const [, section = ""] = prose.split(`## ${heading} `);
  return section.split(" ## ")[0] ?? "";
}

describe("METHODOLOGY.md", () => {
  it("counts and names the indicators of each component", () => {
    const numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
    for (const key of COMPONENT_KEYS) {
      const own = INDICATORS.filter(({ component }) => component === key);
      const [, section = ""] = text.split(`(${key.toUpperCase()})\n`);
      const [body = ""] = section.split("\n## ");
      expect(body, key).toMatch(new RegExp(`The mean of ${numbers[own.length]} `));
      for (const { id } of own) expect(body, key).toContain(`\`${id}\``);
    }
  });

  describe("says what the constants are", () => {
    const { frame, interval, components, participation, decentralization, alikeness } = METHODOLOGY;
    const { deliberation, process, risk, index } = METHODOLOGY;
    const { hpr, dei, pdi, gpi } = components.weights;
    it.each([
      ["What is counted", `(S/scale - ${frame.attentionFloor}) / ${1 - frame.attentionFloor})`],
      ["What is counted", `(age in days) / ${frame.horizonDays})`],
      ["What is counted", `median of its ${frame.scaleProposals} largest S`],
      ["What is counted", `\`high\` from ${frame.highConfidenceProposals} eligible proposals`],
      ["From marks to a score", `/ (k + ${interval.unseenProposals})`],
      ["From marks to a score", `m_high + ${interval.unseenProposals})`],
      ["From marks to a score", `(${interval.presenceDays} - age) / ${interval.presenceFadeDays})`],
      ["From marks to a score", interval.presenceProposals === 2 ? "½ (p_1 + p_2)" : "another mean"],
      ["From marks to a score", `rises to 1 over ${interval.staleDays} days`],
      ["From marks to a score", `κ is below ${interval.knownShareMin}`],
      ["From marks to a score", `HPR)^${hpr} (1 + DEI)^${dei} `],
      ["From marks to a score", `PDI)^${pdi} (1 + GPI)^${gpi} `],
      ["Participation (HPR)", `min(s, ${participation.capShare})`],
      ["Participation (HPR)", `${participation.breadthFrom} earn nothing, ${participation.breadthFull} earn`],
      ["Participation (HPR)", `(ln(D/${participation.breadthFrom})) / (ln(${participation.breadthFull}/3))`],
      ["Participation (HPR)", `until their ω add up to ${participation.loyaltyAttention}`],
      ["Participation (HPR)", `1 / ${participation.fullMarksLoyalty} ·`],
      ["Decentralisation (DEI)", `(ln x) / (ln ${decentralization.fullMarksVoters})`],
      ["Decentralisation (DEI)", `(either + ${alikeness.doubt})`],
      ["Decentralisation (DEI)", `(J - ${alikeness.from}) / ${alikeness.span})`],
      ["Decentralisation (DEI)", `one of the ${alikeness.receivers} largest`],
      ["Decentralisation (DEI)", `tie within ${alikeness.equalWithin}`],
      [
        "Deliberation (PDI)",
        `(days of voting − ${deliberation.periodFromDays}) / ${deliberation.periodSpanDays})`,
      ],
      ["Deliberation (PDI)", `creation to start / ${deliberation.fullMarksDelayDays})`],
      ["Deliberation (PDI)", `/ ${deliberation.fullMarksDissent})`],
      ["Deliberation (PDI)", `with a reason / ${deliberation.fullMarksRationale})`],
      ["Deliberation (PDI)", `within ${deliberation.batchSeconds} seconds`],
      ["Process (GPI)", `(${process.meaningfulQuorumShare} · scale)`],
      ["Process (GPI)", `last ${process.cadenceWindowDays} days`],
      ["Process (GPI)", `the ${process.cadenceReachDays} days before it`],
      ["Process (GPI)", `full marks at ${process.fullMarksProposers}`],
      ["Risk", `${risk.dominanceFloor} · clamp(2q)`],
      ["Risk", `(s₁ − ${risk.dominanceFrom}) / ${risk.dominanceSpan}`],
      ["Risk", `of the last ${risk.activityDays} days`],
      ["Risk", `the last ${risk.delegationDays} days`],
      ["Risk", `daily risk of ${risk.trendDays} days, times ${risk.trendDays}`],
      ["Risk", `−${risk.trendChange} or less`],
      ["Risk", `fewer than ${risk.trendPointsMin} days`],
      [
        "Ranks, index and history",
        index.daosMin === 5 ? "fewer than five DAOs" : `fewer than ${index.daosMin} DAOs`,
      ],
    ])("%s: %s", (heading, words) => {
      expect(sectionOf(heading)).toContain(words);
    });
  });

  it("gives the numbers of its small examples as the code does", () => {
    expect(vitalityOf({ hpr: 9, dei: 1, pdi: 6, gpi: 7 }).toFixed(2)).toBe("4.49");
    expect(prose).toContain("9, 1, 6 and 7 give 4.49");
    expect(componentOf([1, 1], [[0, 1]]).point.toFixed(2)).toBe("2.32");
    expect(prose).toContain("has the point 2.32");
    const deiOf = (voters: number): string => {
      const marks = decentralizationMarks({ ascending: new Float64Array(voters).fill(1 / voters) });
      return ((10 * (marks.effective + marks.majority + marks.top)) / 3).toFixed(2);
    };
    expect([deiOf(1), deiOf(3), deiOf(50)]).toEqual(["0.00", "2.81", "10.00"]);
    expect(prose).toContain("a lone voter scores 0, three equal voters 2.81, and fifty 10");
  });
});
