import type { ExplainResult } from "../run/explain.ts";
import { formatCertainty } from "./format-explained-certainty.ts";
import { formatLeftOut, formatProposals } from "./format-explained-proposals.ts";
import { formatComponent, formatComponents, formatScore } from "./format-explained-scores.ts";
import { wrap } from "./wrap.ts";

type Story = ExplainResult["story"];

const day = (at: string | undefined): string => at?.slice(0, 10) ?? "unknown";
const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")} UTC`;

function formatHead(story: Story): string {
  const { name, spaceId, category, version, isCurrent, asOf, methodologyVersion } = story;
  return [
    wrap(`${name} (${spaceId}, ${category.replaceAll("_", " ")})`),
    wrap(
      `as of ${minute(asOf)}, method ${methodologyVersion}, version ${version}${isCurrent ? "" : ", not the current one"}`,
    ),
  ].join("");
}

/** Nothing of it could be scored, for one and the same reason. */
function isNothing({ gvs, components }: Story): boolean {
  return (
    !("points" in gvs) && components.every(({ score }) => "reason" in score && score.reason === gvs.reason)
  );
}

function formatTotal(story: Story): string {
  const { gvs, rank, confidence, components, certainty } = story;
  if ("points" in gvs) {
    const place = rank === undefined ? "" : `, rank ${rank.place} of ${rank.total}`;
    const sure =
      certainty.gvs === undefined
        ? ""
        : ` Had chance picked other proposals of its kind: ${certainty.gvs.low.toFixed(2)} to ${certainty.gvs.high.toFixed(2)}.`;
    return wrap(`GVS ${formatScore(gvs)} of 10, ${gvs.label}${place}, confidence ${confidence}.${sure}`);
  }
  if (isNothing(story)) return [wrap(`No score. ${gvs.message}`), wrap(`Needed: ${gvs.need}.`)].join("");
  const rows = components.flatMap(({ key, score }) =>
    "points" in score ? [] : [wrap(`${key} is missing. ${score.message} Needed: ${score.need}.`, "  - ")],
  );
  return `${wrap("No score, and no rank: a DAO is scored when all four components are known.")}${rows.join("")}`;
}

function formatWeakest({ gvs, components }: Story): string {
  if (!("points" in gvs)) return "";
  const [weakest] = components.toSorted((a, b) => (b.gvsPerPoint ?? 0) - (a.gvsPerPoint ?? 0));
  if (weakest?.gvsPerPoint === undefined) return "";
  return wrap(
    `The gvs is a geometric mean, so that the lowest weighs most. Most would be won in ${weakest.key}: one more point there adds ${weakest.gvsPerPoint.toFixed(2)}.`,
  );
}

function formatThin({ thin, components }: Story): string {
  const full = `its proposals weigh ${thin.attentionSum.toFixed(1)}, and ${thin.attentionFull} are full evidence`;
  if (thin.share >= 1) return wrap(`Evidence is full: ${full}.`);
  const touched = components.some(
    ({ before, score }) => "points" in before && "points" in score && before.points !== score.points,
  );
  if (!touched) return wrap(`Evidence is thin (${full}), which lowers points above 5; none is.`);
  const without =
    thin.gvsWithout === undefined ? "" : ` Without that the gvs would be ${thin.gvsWithout.toFixed(2)}.`;
  return wrap(
    `Evidence is thin (${full}): ${Math.round(100 * (1 - thin.share))} % of what components have above 5 is not counted.${without}`,
  );
}

function formatFrame({ frame }: Story): string {
  const clusters =
    frame.clusters === 0
      ? ""
      : ` ${frame.clusteredWallets} wallets look coordinated and count as ${frame.clusters === 1 ? "one head" : `${frame.clusters} heads`}.`;
  if (frame.members === 0) {
    return frame.known === 0
      ? wrap("No proposal of it is known.")
      : wrap(`Of ${frame.known.toLocaleString("en")} known proposals none can be looked at.`);
  }
  return wrap(
    `It rests on ${frame.members} of ${frame.known.toLocaleString("en")} known proposals, ended ${day(frame.firstEndedAt)} to ${day(frame.lastEndedAt)}; weighed, they are worth ${frame.effectiveProposals.toFixed(1)} equal ones, with ${frame.headsMean.toFixed(1)} heads on average.${clusters}`,
  );
}

/** The story of a score, 80 columns wide: the sum, its components, their indicators, the proposals, and how sure all of it is. */
export function formatExplained(story: Story): string {
  const { component, components } = story;
  const shown = components.filter(({ key }) => component === undefined || key === component);
  const scores = [
    `${formatComponents(components)}${formatWeakest(story)}`,
    `${formatFrame(story)}${formatThin(story)}`,
    ...shown.map(formatComponent),
    formatProposals(story),
  ];
  const sections = [
    formatHead(story),
    formatTotal(story),
    ...(isNothing(story) ? [formatFrame(story)] : scores),
    formatLeftOut(story),
    ...(component === undefined && !isNothing(story) ? [formatCertainty(story)] : []),
  ];
  return sections.filter((section) => section !== "").join("\n");
}
