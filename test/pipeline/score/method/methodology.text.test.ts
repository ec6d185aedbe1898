import { describe, expect, it } from "vitest";
import { methodologyConstants } from "../../../../pipeline/cli/commands/methodology.ts";
import { decentralizationMarks } from "../../../../pipeline/score/components/decentralization.ts";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import { middleOf, vitalityOf } from "../../../../pipeline/score/method/marks.ts";
import { weightAt } from "../../../../pipeline/score/method/measures.ts";
import { METHODOLOGY } from "../../../../pipeline/score/method/methodology.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { textOf } from "../../../documents/documents.ts";
import { assessExample } from "./worked-example.ts";

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

/** How a person writes the sizes in a sentence: commas between thousands. */
const written = (value: number, decimals: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

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

  it("names every constant with its value", () => {
    for (const { name, value } of methodologyConstants().constants)
      expect(text).toContain(`\`${name}\` ${value}`);
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
    expect(middleOf(0, 10).point.toFixed(2)).toBe("2.32");
    expect(prose).toContain("has the point 2.32");
    const deiOf = (voters: number): string => {
      const marks = decentralizationMarks({ ascending: new Float64Array(voters).fill(1 / voters) });
      return ((10 * (marks.effective + marks.majority + marks.top)) / 3).toFixed(2);
    };
    expect([deiOf(1), deiOf(3), deiOf(50)]).toEqual(["0.00", "2.81", "10.00"]);
    expect(prose).toContain("a lone voter scores 0, three equal voters 2.81, and fifty 10");
  });

  it("counts by hand as the code does: the example's sentences", async () => {
    const { score, measures } = await assessExample();
    const example = sectionOf("A worked example");
    const { hpr, dei, pdi, gpi } = score.components;
    const { proposals, asOfMs } = measures;
    const last = proposals.at(-1);
    if (last === undefined) throw new Error("the example has no proposals");

    const powers = proposals.map(({ power = 0 }) => power);
    const half = powers.reduce((sum, power) => sum + power, 0) / 2;
    const upTo = (most: number): number =>
      powers.filter((power) => power <= most).reduce((sum, power) => sum + power, 0);
    const scale = Math.min(...powers.filter((power) => upTo(power) >= half));
    const attention = ((last.power ?? 0) / scale - 0.25) / 0.75;
    expect(attention).toBeCloseTo(last.attention, 12);
    expect(example).toContain(`up to ${written(scale, 1)}`);
    expect(example).toContain(
      `ω = (${written(last.power ?? 0, 1)} / ${written(scale, 1)} − 0.25) / 0.75 = ${attention.toFixed(3)}`,
    );
    expect(example).toContain(`w = ${weightAt(last, asOfMs).toFixed(3)}`);

    const weights = proposals.map((line) => weightAt(line, asOfMs));
    const k = weights.reduce((sum, weight) => sum + weight, 0);
    const marks = proposals.map(({ marks: { effective = [0, 0] } }) => effective[0]);
    const marked = marks.reduce((sum, mark, at) => sum + mark * (weights[at] ?? 0), 0);
    expect([marked / (k + 2), (marked + 2) / (k + 2)]).toEqual(
      [0, 1].map((end) => expect.closeTo(dei.indicators[0]?.mark[end] ?? 0, 12)),
    );
    const voters = 50 ** (marks.at(-1) ?? 0);
    expect(example).toContain(
      `worth ${voters.toFixed(2)} equal voters: ln ${voters.toFixed(2)} / ln 50 = ${marks.at(-1)?.toFixed(3)}`,
    );
    expect(example).toContain(`k = ${k.toFixed(3)}`);
    expect(example).toContain(
      `${marked.toFixed(3)} / ${(k + 2).toFixed(3)} = ${(marked / (k + 2)).toFixed(3)}`,
    );
    expect(example).toContain(
      `(${marked.toFixed(3)} + 2) / ${(k + 2).toFixed(3)} = ${((marked + 2) / (k + 2)).toFixed(3)}`,
    );
    expect(example).toContain(`at most ${last.loyaltyAttention.toFixed(2)} are there`);

    const lows = dei.indicators.map(({ mark }) => mark[0]);
    expect((10 * score.presence[0] * lows.reduce((sum, low) => sum + low, 0)) / 3).toBeCloseTo(dei.low, 12);
    expect(example).toContain(
      `10 · (${lows.map((low) => low.toFixed(4)).join(" + ")}) / 3 = ${dei.low.toFixed(2)}`,
    );
    expect(Math.sqrt((1 + dei.low) * (1 + dei.high)) - 1).toBeCloseTo(dei.point, 12);
    expect(example).toContain(
      `√(${(1 + dei.low).toFixed(2)} · ${(1 + dei.high).toFixed(2)}) − 1 = ${dei.point.toFixed(2)}`,
    );

    const [h, d, p, g] = [hpr, dei, pdi, gpi].map(({ point }) => 1 + point) as [
      number,
      number,
      number,
      number,
    ];
    expect(h ** 0.3 * d ** 0.3 * p ** 0.2 * g ** 0.2 - 1).toBeCloseTo(score.gvs.point, 9);
    expect(example).toContain(
      `${h.toFixed(3)}^0.3 · ${d.toFixed(3)}^0.3 · ${p.toFixed(3)}^0.2 · ${g.toFixed(3)}^0.2 − 1 = ${score.gvs.point.toFixed(2)}`,
    );
    expect(example).toContain(
      `ln(${(1 + score.gvs.high).toFixed(3)} / ${(1 + score.gvs.low).toFixed(3)}) / ln 11 = ${score.knownShare.toFixed(3)}`,
    );
    expect(example).toContain(
      `100 − 5 · (${dei.point.toFixed(2)} + ${score.gvs.point.toFixed(2)}) = ${score.risk?.score.point.toFixed(1)}`,
    );
    const top = Math.max(...proposals.map(({ concentration }) => concentration?.topShare ?? 0));
    expect(example).toContain(`more than ${(100 * top).toFixed(1)} %`);
  });
});
