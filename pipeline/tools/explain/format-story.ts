import {
  type Column,
  formatTable,
  indented,
  right,
  wrap,
} from "../../../snapshots/base/command-line/table.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { formatChange, formatEnds, shortId, spell } from "../spell.ts";
import type { ExplainResult } from "./explain.ts";

type Story = ExplainResult["story"];
type Moving = Story["proposals"][number];
type Component = Story["components"][number];
type Indicator = Component["indicators"][number];

/** Smaller changes would be printed as 0.00. */
const LEAST_SHOWN = 0.005;

const dash = (value: number | undefined, write: (value: number) => string): string =>
  value === undefined ? "-" : write(value);

const tenth = (value: number): string => value.toFixed(1);

const top = right<Moving>("top share", ({ topShare }) =>
  dash(topShare, (share) => `${tenth(100 * share)} %`),
);
const majority = right<Moving>("majority", ({ majorityVoters }) => dash(majorityVoters, String));
const fetched = right<Moving>("fetched", ({ fetchedShare }) => `${Math.round(100 * fetchedShare)} %`);

/** An indicator in %, or its range. */
const markColumn = (id: keyof Moving["marks"]): Column<Moving> =>
  right<Moving>(spell.word(id), ({ marks }) => {
    const mark = marks[id];
    if (mark === undefined) return "-";
    const [low, high] = mark.map((end) => String(Math.round(100 * end)));
    return low === high ? `${low} %` : `${low}-${high} %`;
  });

/** The columns shown for a proposal, by the score that it moves. */
const MEASURES: Readonly<Record<ComponentKey | "gvs", readonly Column<Moving>[]>> = {
  gvs: [majority, top, fetched],
  hpr: [markColumn("breadth"), markColumn("loyalty"), fetched],
  dei: [markColumn("effective"), majority, top],
  pdi: [markColumn("discussion"), markColumn("period"), markColumn("contested")],
  gpi: [markColumn("quorum")],
};

const range = ({ best, worst }: { readonly best: number; readonly worst: number }): string =>
  best === worst ? `${best}` : `${best} to ${worst}`;
const day = (moment: string | undefined): string => moment?.slice(0, 10) ?? "unknown";

export function formatStory(story: Story): string {
  const { component, components } = story;
  const shown = components.filter(({ key }) => component === undefined || key === component);
  const scores = [
    `${formatComponents(components)}${formatWeakest(story)}`,
    formatFrame(story),
    ...shown.map(formatComponent),
    formatProposals(story),
  ];
  const isEmpty = story.frame.members === 0;
  const sections = [
    formatHead(story),
    formatTotal(story),
    ...(isEmpty ? [formatFrame(story)] : scores),
    formatLeftOut(story),
    ...(component === undefined && !isEmpty ? [formatCertainty(story)] : []),
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function formatHead(story: Story): string {
  const { name, spaceId, category, version, isCurrent, asOf, methodologyVersion } = story;
  return [
    wrap(`${name} (${spaceId}, ${spell.word(category)})`),
    wrap(
      `as of ${spell.moment(asOf)}, method ${methodologyVersion}, version ${version}${isCurrent ? "" : ", not the current one"}`,
    ),
  ].join("");
}

function formatTotal({ gvs, rank, unscored, certainty }: Story): string {
  const between = `between ${gvs.low.toFixed(2)} and ${gvs.high.toFixed(2)}, ${Math.round(100 * certainty.knownShare)} % known`;
  if (unscored !== undefined) {
    return wrap(`No score, and no rank: ${between}. ${unscored.message}`);
  }
  const place = rank === undefined ? "" : `, rank ${rank.place} of ${rank.total}`;
  return wrap(`GVS ${gvs.point.toFixed(2)} of 10, ${gvs.label}${place}; ${between}.`);
}

function formatWeakest({ components }: Story): string {
  const [weakest] = components.toSorted((a, b) => b.gvsPerPoint - a.gvsPerPoint);
  if (weakest === undefined) return "";
  return wrap(
    `The gvs is a weighted geometric mean of the components (of 1 + points), so the lowest one matters most; a component is the plain mean of its indicators. ${weakest.key} has the largest effect: one more point there adds ${weakest.gvsPerPoint.toFixed(2)}.`,
  );
}

function formatFrame({ frame, certainty: { presence, absence } }: Story): string {
  if (frame.members === 0) {
    return frame.known === 0
      ? wrap("No proposals are known.")
      : wrap(`None of ${frame.known.toLocaleString("en")} known proposals can be scored.`);
  }
  const present =
    absence === undefined ? "" : ` ${absence}: presence ${formatEnds(presence)} multiplies all components.`;
  return wrap(
    `The score uses ${frame.members} of ${frame.known.toLocaleString("en")} known proposals, which ended from ${day(frame.firstEndedAt)} to ${day(frame.lastEndedAt)}; they weigh as much as ${frame.weight.toFixed(1)} new ones of usual power.${present}`,
  );
}

/** The table of the four components: points, certainty, and the effect of one more point. */
function formatComponents(components: readonly Component[]): string {
  return indented(
    formatTable(components, [
      { heading: "component", cell: ({ key, name }) => `${key} ${name}` },
      right("points", ({ score }) => score.point.toFixed(2)),
      { heading: "", cell: ({ score }) => score.label },
      { heading: "between", cell: ({ score }) => formatEnds(score) },
      right("weight", ({ weight }) => `${Math.round(100 * weight)} %`),
      right("+1 adds", ({ gvsPerPoint }) => `+${gvsPerPoint.toFixed(2)}`),
    ]),
  );
}

const percent = (share: number): string => `${Math.round(100 * share)}`;

const marks = ({ low, high, isKnown }: Indicator): string => {
  if (!isKnown) return "not known";
  return percent(low) === percent(high) ? `${percent(low)} %` : `${percent(low)} to ${percent(high)} %`;
};

/** One component: its question, what each indicator contributes, and what is unknown. */
function formatComponent({ key, name, asks, score, indicators, notKnown, costliest }: Component): string {
  const rows = [
    ...indicators.map((indicator) => ({
      id: spell.word(indicator.id),
      earns: marks(indicator),
      points: `${indicator.points.toFixed(2)} of ${indicator.pointsMost.toFixed(2)}`,
    })),
    { id: "not known", earns: "", points: notKnown.toFixed(2) },
  ];
  const table = formatTable(rows, [
    { heading: "indicator", cell: ({ id }) => id },
    right("earns", ({ earns }) => earns),
    right("points", ({ points }) => points),
  ]);
  const notes = indicators.map((indicator) =>
    wrap(
      `${spell.word(indicator.id)}: ${indicator.asks}${indicator.isKnown ? "" : `; its source would be ${indicator.source}`}`,
      "  - ",
    ),
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
    { heading: "ended", cell: ({ endedAt }) => endedAt?.slice(0, 10) ?? "unknown" },
    right("weight", ({ weight }) => weight.toFixed(2)),
    right<Moving>(what, ({ lift }) => formatChange(lift)),
    ...MEASURES[what],
  ]);
  const isStill = proposals.every(({ lift }) => Math.abs(lift) < LEAST_SHOWN);
  const header = isStill
    ? `No single proposal moves the ${what} by ${LEAST_SHOWN}; some examples`
    : `The proposals that move the ${what} most, with the change that each causes (loyalty of the others, proposers and active voters kept constant)`;
  const legend =
    what === "gvs" || what === "dei"
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
      `${count.toLocaleString("en").padStart(7)}  `,
    ),
  );
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return `${wrap(`Left out: ${total.toLocaleString("en")} ${total === 1 ? "proposal" : "proposals"}`)}${rows.join("")}`;
}

function formatRisk({ risk, unscored, certainty }: Story): string {
  if (risk === undefined) return wrap("Risk is not assessed: no power is known on any ballot.");
  const sources = risk.sources.map(({ name, points }) => `${points.toFixed(1)} (${name})`).join(" and ");
  const number =
    unscored === undefined ? `RISK ${risk.point.toFixed(1)} of 100, ${risk.level}` : "RISK has no number";
  return [
    wrap(`${number}; between ${risk.low.toFixed(1)} and ${risk.high.toFixed(1)}: the larger of ${sources}`),
    ...risk.factors.map(({ name, value }) => `  - ${name}: ${value}\n`),
    wrap("Reported, never scored, medians over the ballots:"),
    ...certainty.concentration.map(({ name, value }) => `  - ${name}: ${value}\n`),
  ].join("");
}

function formatCertaintyNotes({ certainty, rank }: Story): string {
  const { weights, completenessPct, knownUntil } = certainty;
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
      : `Data are ${completenessPct.toFixed(1)} % complete; votes are known until ${day(knownUntil)}.`,
  );
  return lines.map((line) => wrap(line, "  - ")).join("");
}

function formatCertainty(story: Story): string {
  const unknown = story.certainty.notKnown
    .map(({ id, source }) => wrap(`${spell.word(id)}: its source would be ${source}`, "  - "))
    .join("");
  const sections = [
    formatRisk(story),
    `How certain is the score?\n${formatCertaintyNotes(story)}`,
    unknown === "" ? "" : `Not known\n${unknown}`,
  ];
  return sections.filter((section) => section !== "").join("\n");
}
