import { METHODOLOGY } from "../../score/method/methodology.ts";
import { type Html, html, outsideLink } from "../html.ts";
import { POINTS_SHOWN_MIN, rangeText, spell } from "../spell.ts";
import { dataLink, type Studio, scoreColumns, yearCharts } from "./charts.ts";
import { column, folded, htmlTable, longTable, type Section } from "./page.ts";
import type { DaoReport, EvidenceStory } from "./report-data.ts";

const percentOf = (share: number): string => spell.percent(100 * share);

export function indicatorTables({ components }: EvidenceStory): Html {
  return html`<div class="folds">${components.map(({ name, indicators, notKnown }) => {
    const title = `How ${name} is scored`;
    const table = htmlTable(title, indicators, [
      column.name("Indicator", ({ asks }) => asks),
      column.number("Mark", ({ low, high, isKnown }) =>
        isKnown ? rangeText(percentOf(low), percentOf(high), "–") : "not known",
      ),
      column.number("Points", (row) => `${spell.score(row.points)} of ${spell.score(row.pointsMost)}`),
    ]);
    return folded(
      title,
      html`${table}<p class="muted">The points are those that the known data guarantee. The score is ${spell.score(notKnown)} points higher: halfway, on a logarithmic scale, to the high end of its interval.</p>`,
    );
  })}</div>`;
}

type ProposalLine = EvidenceStory["members"][number];

const PROPOSAL_COLUMNS = [
  column.name("Proposal", ({ id, title, link }: ProposalLine) => {
    const short = html`<code title="${id}">${id.length > 12 ? `${id.slice(0, 10)}…` : id}</code>`;
    const name = title === undefined ? short : html`<bdi>${title}</bdi>`;
    return link === undefined ? name : outsideLink(link, name);
  }),
  column.text("Ended", ({ end_at }: ProposalLine) => spell.known(end_at, spell.day)),
  column.number("Votes", ({ votes, declared_votes: declared }: ProposalLine) => {
    // Votes that were not fetched were cast all the same.
    const most = Math.max(votes ?? -1, declared ?? -1);
    return spell.known(most < 0 ? null : most, spell.count);
  }),
  column.number("Weight", ({ weight }: ProposalLine) => spell.known(weight, spell.score)),
  column.number("Voters for a majority", (line: ProposalLine) =>
    spell.known(line.majority_voters, spell.count),
  ),
  column.number("Largest voter", (line: ProposalLine) => spell.known(line.top_share, percentOf)),
  column.number("Power fetched", (line: ProposalLine) => spell.known(line.fetched_share, percentOf)),
];

const PROPOSAL_DATA = [
  "id",
  "title",
  "link",
  "end_at",
  "declared_votes",
  "votes",
  "weight",
  "majority_voters",
  "top_share",
  "fetched_share",
] as const;

/** So many proposals are seen at once, so many are on the page, and the data have all of them. */
const PROPOSALS_SEEN = 5;
const PROPOSALS_MAX = 100;

function members(spaceId: string, lines: readonly ProposalLine[], studio: Studio): Html {
  if (lines.length === 0)
    return html`<p>No proposal counts.</p>
`;
  const cut = lines.length > PROPOSALS_MAX ? `, of which this page shows the latest ${PROPOSALS_MAX}` : "";
  const data = dataLink(studio, `${spaceId}/proposals`, lines, PROPOSAL_DATA);
  return html`<p>${spell.counted(lines.length, "proposal")} ${lines.length === 1 ? "counts" : "count"}${cut}. <span class="files">${data}</span></p>
${longTable("Proposals, the latest first", lines.slice(0, PROPOSALS_MAX), PROPOSAL_COLUMNS, PROPOSALS_SEEN)}`;
}

/** The proposals that a score rests on, the latest first, and why others do not count. */
export function proposalSection(spaceId: string, evidence: EvidenceStory, studio: Studio): Section {
  const others = htmlTable("Proposals that do not count", evidence.leftOut, [
    column.name("Reason", ({ sentence }) => spell.title(sentence)),
    column.number("Proposals", ({ count }) => spell.count(count)),
    column.text("Code", ({ reason }) => html`<code>${reason}</code>`),
  ]);
  return {
    id: "proposals",
    title: "Proposals",
    body: html`${members(spaceId, evidence.members, studio)}
${evidence.leftOut.length === 0 ? "" : folded("Proposals that do not count, and why", others)}`,
  };
}

/** What is not known, and what it would take. */
export function unknownSection(notKnown: EvidenceStory["notKnown"]): Section | undefined {
  if (notKnown.length === 0) return undefined;
  return {
    id: "unknown",
    title: "What is not known",
    isHalf: true,
    body: htmlTable("Indicators that are not known", notKnown, [
      column.name("Indicator", ({ asks }) => asks),
      column.prose("It would take", ({ source }) =>
        source.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`)),
      ),
    ]),
  };
}

/** The scores of a year: the score with its interval, and each component in a chart of its own. */
export function daoHistory({ dao, full }: DaoReport, studio: Studio): Section | undefined {
  const days = (full?.year ?? []).map(({ date, gvs, components, ends, risk_score, data_completeness }) => ({
    date,
    score: gvs,
    components,
    ends,
    row: { date, ...scoreColumns({ gvs, ...components }, ends), risk_score, data_completeness },
  }));
  const until = full?.evidence?.knownUntil;
  const isOld = until !== undefined && spell.day(until) < (days.at(-1)?.date ?? "");
  const text = {
    title: `Score of ${dao.name} by day`,
    componentsTitle: `Components of ${dao.name}`,
    file: `${dao.space_id}/`,
    band: " Band: the interval in which the score lies, computed once a week from the proposals as they are measured now.",
    note: isOld
      ? ` Its votes are known until ${spell.day(until)}; votes cast since are not in the later scores.`
      : "",
  };
  const body = yearCharts(studio, text, days);
  return body && { id: "year", title: "The last year", body };
}

const { presenceDays, presenceFadeDays } = METHODOLOGY.interval;

/** Whether a DAO votes, and what each component loses by it where it does not. */
function presenceSentence({ absence, presence: { low, high } }: EvidenceStory): string {
  if (absence === undefined)
    return `It votes: at least two proposals of usual power ended in the last ${presenceDays - presenceFadeDays} days.`;
  const lost = spell.percent(100 * (1 - low));
  return `${absence}: that takes ${low === high ? "" : "up to "}${lost} off each component.`;
}

/** What is lost whatever the missing data would show, and what the score would gain most from. */
function lossSentence({ components }: EvidenceStory): string {
  const losses = components.flatMap(({ name, weight, score, indicators, gvsPerPoint }) =>
    indicators.map(({ asks, cost }) => {
      // The score is a geometric mean of 1 + points; `gvsPerPoint` holds for a small step alone.
      const base = 1 + score.point;
      const gain = ((gvsPerPoint * base) / weight) * ((1 + cost / base) ** weight - 1);
      return { name, asks, cost, gain };
    }),
  );
  const [costliest] = losses.toSorted((a, b) => b.cost - a.cost);
  const [best] = losses.toSorted((a, b) => b.gain - a.gain);
  if (costliest === undefined || best === undefined || best.gain < POINTS_SHOWN_MIN)
    return "The data show nothing that it surely loses points on.";
  const wins = best === costliest ? "to win them" : `full marks on “${best.asks}”`;
  return `It surely loses most on “${costliest.asks}”: ${spell.score(costliest.cost)} points of ${costliest.name}; ${wins} would raise its score most, by about ${spell.score(best.gain)}.`;
}

/** Three sentences on a DAO: does it vote, how much is known, what does it surely lose most on. */
export function verdict(evidence: EvidenceStory, [low, high]: readonly [number, number]): Html {
  const { knownShare, completenessPct } = evidence;
  const complete =
    completenessPct === undefined ? "" : `, from data that are ${spell.percent(completenessPct)} complete`;
  const known = `${spell.percent(100 * knownShare)} of its score is known: it lies between ${spell.score(low)} and ${spell.score(high)}${complete}.`;
  return html`<p class="lead">${[presenceSentence(evidence), known, lossSentence(evidence)].join(" ")}</p>
`;
}
