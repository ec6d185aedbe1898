import type { ExplainResult } from "../run/explain.ts";
import { wrap } from "./wrap.ts";

type Story = ExplainResult["story"];

const places = ({ best, worst }: { readonly best: number; readonly worst: number }): string =>
  best === worst ? `${best}` : `${best} to ${worst}`;

function formatRisk({ risk }: Story): string {
  if (risk.kind === "gap") {
    return wrap(`Risk is not assessed.${"points" in risk.why ? "" : ` ${risk.why.message}`}`);
  }
  const all = risk.sources.map(({ name, points }) => `${points.toFixed(1)} (${name})`);
  const sources = `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
  return [
    wrap(`RISK ${risk.score.toFixed(1)} of 100, ${risk.level}: the largest of ${sources}`),
    ...risk.factors.map(({ name, value }) => `  - ${name}: ${value}\n`),
  ].join("");
}

function formatSureness({ certainty, rank }: Story): string {
  const { resamples, kept, gvs, weights } = certainty;
  const lines: string[] = [];
  if (gvs !== undefined && certainty.rank !== undefined && rank !== undefined) {
    const lost = resamples === kept ? "" : ` (${resamples - kept} of them had a gap)`;
    lines.push(
      `${resamples.toLocaleString("en")} draws of as many proposals${lost}: gvs ${gvs.low.toFixed(2)} to ${gvs.high.toFixed(2)}, rank ${places(certainty.rank)} of ${rank.total}, in nine of ten.`,
    );
  }
  if (gvs !== undefined) {
    lines.push(
      "How many heads come again is held in these draws while their mean is drawn, so that the interval of hpr, and with it that of the gvs, is wide.",
    );
  }
  if (weights !== undefined) {
    const most =
      weights.most === undefined
        ? ""
        : `, most for the weight of ${weights.most.of} (${places(weights.most)})`;
    lines.push(`Each weight a quarter less or more, one at a time: rank ${places(weights)}${most}.`);
  }
  return lines.map((line) => wrap(line, "  - ")).join("");
}

function formatCompleteness({ certainty }: Story): string {
  const { completenessPct, parts } = certainty;
  if (completenessPct === undefined) return wrap("Completeness of the data: nothing to count.", "  - ");
  const written = parts
    .filter(({ value }) => value !== undefined)
    .map(({ asks, value }) => `${((value ?? 0) * 100).toFixed(1)} % ${asks}`);
  return wrap(`Data are ${completenessPct.toFixed(1)} % complete: ${written.join("; ")}.`, "  - ");
}

/** Risk, how sure all of it is, and what nobody looked at. */
export function formatCertainty(story: Story): string {
  const { notAssessed, diagnostics } = story.certainty;
  const unseen = notAssessed.map(({ what, why }) => wrap(`${what.join(", ")}: ${why}`, "  - ")).join("");
  const shown = diagnostics.map(({ name, value }) => `${name} ${value.toFixed(value < 10 ? 2 : 0)}`);
  const sections = [
    formatRisk(story),
    `How sure is that?\n${formatSureness(story)}${formatCompleteness(story)}`,
    unseen === "" ? "" : `Not assessed\n${unseen}`,
    shown.length === 0 ? "" : wrap(`Reported, never scored (medians): ${shown.join(", ")}.`),
  ];
  return sections.filter((section) => section !== "").join("\n");
}
