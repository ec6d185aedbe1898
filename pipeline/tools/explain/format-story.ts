import {
  type Column,
  formatTable,
  indented,
  right,
  wrap,
} from "../../../snapshots/base/command-line/table.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { formatChange, formatEnds, POINTS_SHOWN_MIN, rangeText, shortId, spell } from "../spell.ts";
import type { Story } from "./explain.ts";

type Moving = Story["proposals"][number];
type Component = Story["components"][number];

const whole = (share: number): string => String(Math.round(100 * share));
const day = (moment: string | undefined): string => (moment === undefined ? "unknown" : spell.day(moment));
const list = (rows: readonly { readonly name: string; readonly value: string }[]): string =>
  rows.map(({ name, value }) => `  - ${name}: ${value}\n`).join("");
const range = ({ best, worst }: { readonly best: number; readonly worst: number }): string =>
  rangeText(String(best), String(worst), " to ");

/** An indicator in %, or its range. */
const markColumn = (id: keyof Moving["marks"]): Column<Moving> =>
  right<Moving>(spell.word(id), ({ marks }) => {
    const mark = marks[id];
    return mark === undefined ? "-" : `${rangeText(whole(mark[0]), whole(mark[1]), "-")} %`;
  });

const top = right<Moving>("top share", ({ topShare }) =>
  topShare === undefined ? "-" : spell.percent(100 * topShare),
);
const majority = right<Moving>("majority", ({ majorityVoters }) => String(majorityVoters ?? "-"));
const fetched = right<Moving>("fetched", ({ fetchedShare }) => `${whole(fetchedShare)} %`);

/** The columns shown for a proposal, by the score that it moves. */
const MEASURES: Readonly<Record<ComponentKey | "gvs", readonly Column<Moving>[]>> = {
  gvs: [majority, top, fetched],
  hpr: [markColumn("breadth"), markColumn("loyalty"), fetched],
  dei: [markColumn("effective"), majority, top],
  pdi: [markColumn("discussion"), markColumn("period"), markColumn("contested")],
  gpi: [markColumn("quorum")],
};

export function formatStory(story: Story): string {
  const { component, components } = story;
  const isEmpty = story.frame.members === 0;
  const shown = components.filter(({ key }) => component === undefined || key === component);
  const sections = [
    formatHead(story),
    formatTotal(story),
    ...(isEmpty ? [] : [formatComponents(components)]),
    formatFrame(story),
    ...(isEmpty ? [] : [...shown.map(formatComponent), formatProposals(story)]),
    formatLeftOut(story),
    ...(component === undefined && !isEmpty ? [formatRisk(story), formatCertainty(story)] : []),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function formatHead(story: Story): string {
  const { name, spaceId, category, version, isCurrent, asOf, methodologyVersion } = story;
  const which = `version ${version}${isCurrent ? "" : ", not the current one"}`;
  return `${wrap(`${name} (${spaceId}, ${spell.word(category)})`)}${wrap(`as of ${spell.moment(asOf)}, method ${methodologyVersion}, ${which}`)}`;
}

function formatTotal({ gvs, rank, unscored, certainty }: Story): string {
  const between = `between ${gvs.low.toFixed(2)} and ${gvs.high.toFixed(2)}, ${whole(certainty.knownShare)} % known`;
  if (unscored !== undefined) return wrap(`No score, and no rank: ${between}. ${unscored.message}`);
  const place = rank === undefined ? "" : `, rank ${rank.place} of ${rank.total}`;
  return wrap(`GVS ${gvs.point.toFixed(2)} of 10, ${gvs.label}${place}; ${between}.`);
}

function formatComponents(components: readonly Component[]): string {
  const table = formatTable(components, [
    { heading: "component", cell: ({ key, name }) => `${key} ${name}` },
    right("points", ({ score }) => score.point.toFixed(2)),
    { heading: "", cell: ({ score }) => score.label },
    { heading: "between", cell: ({ score }) => formatEnds(score) },
    right("weight", ({ weight }) => `${whole(weight)} %`),
    right("+1 adds", ({ gvsPerPoint }) => `+${gvsPerPoint.toFixed(2)}`),
  ]);
  const [weakest] = components.toSorted((a, b) => b.gvsPerPoint - a.gvsPerPoint);
  return `${indented(table)}${wrap(
    `The gvs is a weighted geometric mean of the components (of 1 + points), so the lowest one matters most; a component is the plain mean of its indicators. ${weakest?.key} has the largest effect: one more point there adds ${weakest?.gvsPerPoint.toFixed(2)}.`,
  )}`;
}

function formatFrame({ frame, certainty: { presence, absence } }: Story): string {
  const known = frame.known.toLocaleString("en");
  if (frame.known === 0) return wrap("No proposals are known.");
  if (frame.members === 0) return wrap(`None of ${known} known proposals can be scored.`);
  const present =
    absence === undefined ? "" : ` ${absence}: presence ${formatEnds(presence)} multiplies all components.`;
  return wrap(
    `The score uses ${frame.members} of ${known} known proposals, which ended from ${day(frame.firstEndedAt)} to ${day(frame.lastEndedAt)}; they weigh as much as ${spell.tenth(frame.weight)} new ones of usual power.${present}`,
  );
}

function formatComponent({ key, name, asks, score, indicators, notKnown, costliest }: Component): string {
  const rows = [
    ...indicators.map(({ id, isKnown, low, high, points, pointsMost }) => ({
      id: spell.word(id),
      earns: isKnown ? `${rangeText(whole(low), whole(high), " to ")} %` : "not known",
      points: `${points.toFixed(2)} of ${pointsMost.toFixed(2)}`,
    })),
    { id: "not known", earns: "", points: notKnown.toFixed(2) },
  ];
  const table = formatTable(rows, [
    { heading: "indicator", cell: ({ id }) => id },
    right("earns", ({ earns }) => earns),
    right("points", ({ points }) => points),
  ]);
  const notes = indicators.map(({ id, asks: asked, isKnown, source }) =>
    wrap(`${spell.word(id)}: ${asked}${isKnown ? "" : `; its source would be ${source}`}`, "  - "),
  );
  const costs =
    costliest === undefined
      ? ""
      : wrap(`Costs the most: ${spell.word(costliest.id)}, ${costliest.cost.toFixed(2)} points.`, "  ");
  const header = wrap(
    `${key.toUpperCase()} ${name} ${score.point.toFixed(2)}, ${score.label}, from ${formatEnds(score)}. ${asks}`,
  );
  return `${header}${indented(table)}${notes.join("")}${costs}`;
}

function formatProposals({ proposals, component }: Story): string {
  if (proposals.length === 0) return "";
  const what = component ?? "gvs";
  const table = formatTable(proposals, [
    { heading: "proposal", cell: ({ id }) => shortId(id) },
    { heading: "ended", cell: ({ endedAt }) => day(endedAt) },
    right("weight", ({ weight }) => weight.toFixed(2)),
    right<Moving>(what, ({ lift }) => formatChange(lift)),
    ...MEASURES[what],
  ]);
  const isStill = proposals.every(({ lift }) => Math.abs(lift) < POINTS_SHOWN_MIN);
  const header = isStill
    ? `No single proposal moves the ${what} by ${POINTS_SHOWN_MIN}; some examples`
    : `The proposals that move the ${what} most, with the change that each causes (loyalty of the others, proposers and active voters kept constant)`;
  const legend = MEASURES[what].includes(majority)
    ? wrap("majority: the fewest voters with more than half of the power", "  ")
    : "";
  const titles = proposals.flatMap(({ id, title }) =>
    title === undefined ? [] : wrap(`${shortId(id)}: ${title}`, "  "),
  );
  return `${wrap(header)}${indented(table)}${legend}${titles.join("")}`;
}

function formatLeftOut({ leftOut }: Story): string {
  if (leftOut.length === 0) return "";
  const rows = leftOut.map(({ count, reason, sentence, examples }) =>
    wrap(
      `${reason}: ${sentence} (${count > examples.length ? "as " : ""}${examples.map(shortId).join(", ")})`,
      `${spell.count(count).padStart(7)}  `,
    ),
  );
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return `${wrap(`Left out: ${spell.counted(total, "proposal")}`)}${rows.join("")}`;
}

function formatRisk({ risk, unscored, certainty }: Story): string {
  if (risk === undefined) return wrap("Risk is not assessed: no power is known on any ballot.");
  const sources = risk.sources.map(({ name, points }) => `${spell.tenth(points)} (${name})`).join(" and ");
  const number =
    unscored === undefined ? `RISK ${spell.tenth(risk.point)} of 100, ${risk.level}` : "RISK has no number";
  const between = `between ${spell.tenth(risk.low)} and ${spell.tenth(risk.high)}`;
  return [
    wrap(`${number}; ${between}: the larger of ${sources}`),
    list(risk.factors),
    wrap("Reported, never scored, medians over the ballots:"),
    list(certainty.concentration),
  ].join("");
}

function formatCertainty({ certainty, rank }: Story): string {
  const { weights, completenessPct, knownUntil, notKnown } = certainty;
  const lines: string[] = [];
  if (certainty.rank !== undefined && rank !== undefined) {
    lines.push(`By the intervals of all DAOs: rank ${range(certainty.rank)} of ${rank.total}.`);
  }
  if (weights !== undefined) {
    const most = weights.most === undefined ? "" : `, most for the weight of ${weights.most.component}`;
    lines.push(`With each weight a quarter lower or higher, one at a time: rank ${range(weights)}${most}.`);
  }
  lines.push(
    completenessPct === undefined
      ? "Completeness of the data: not applicable."
      : `Data are ${spell.percent(completenessPct)} complete; votes are known until ${day(knownUntil)}.`,
  );
  const unknown = notKnown.map(({ id, source }) =>
    wrap(`${spell.word(id)}: its source would be ${source}`, "  - "),
  );
  return `How certain is the score?\n${lines.map((line) => wrap(line, "  - ")).join("")}${unknown.length === 0 ? "" : `\nNot known\n${unknown.join("")}`}`;
}
