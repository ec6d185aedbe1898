import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { type Html, html, outsideLink } from "../html.ts";
import { spell } from "../spell.ts";
import { dataLink, type Studio, scoreColumns, type YearText, yearCharts } from "./charts.ts";
import {
  folded,
  foldedTable,
  htmlTable,
  nameColumn,
  numberColumn,
  proseColumn,
  type Section,
  type TableColumn,
} from "./page.ts";
import type { DaoReport, EvidenceStory, ReportData } from "./report-data.ts";

type IndicatorStory = EvidenceStory["components"][number]["indicators"][number];

const percentOf = (share: number): string => spell.percent(100 * share);

const INDICATOR_COLUMNS: readonly TableColumn<IndicatorStory>[] = [
  nameColumn("Indicator", ({ asks }) => asks),
  numberColumn("Mark", ({ low, high, isKnown }) => {
    const ends = [...new Set([percentOf(low), percentOf(high)])];
    return isKnown ? ends.join("–") : "not known";
  }),
  numberColumn("Points", ({ points, pointsMost }) => `${spell.score(points)} of ${spell.score(pointsMost)}`),
];

export function indicatorTables({ components }: EvidenceStory, { names }: ReportData): Html {
  return html`<div class="folds">${components.map(({ key, indicators, notKnown }) => {
    const title = `How ${names[key].name} is scored`;
    return folded(
      title,
      html`${htmlTable(title, indicators, INDICATOR_COLUMNS)}<p class="muted">The points are those that the known data guarantee. The score is ${spell.score(notKnown)} points higher: halfway, on a logarithmic scale, to the high end of its interval.</p>`,
    );
  })}</div>`;
}

const PROPOSAL_COLUMNS: readonly TableColumn<ProposalLine>[] = [
  nameColumn("Proposal", ({ id, title, link }) => {
    const short = html`<code title="${id}">${id.length > 12 ? `${id.slice(0, 10)}…` : id}</code>`;
    const name = title === undefined ? short : html`<bdi>${title}</bdi>`;
    return link === undefined ? name : outsideLink(link, name);
  }),
  { heading: "Ended", of: ({ end_at }) => (end_at === null ? "–" : spell.day(end_at)) },
  numberColumn("Votes", ({ votes, declared_votes: declared }) => {
    // Votes that were not fetched were cast all the same.
    const most = Math.max(votes ?? -1, declared ?? -1);
    return spell.known(most < 0 ? null : most, spell.count);
  }),
  numberColumn("Weight", ({ weight }) => spell.known(weight, spell.score)),
  numberColumn("Voters for a majority", (line) => spell.known(line.majority_voters, spell.count)),
  numberColumn("Largest voter", (line) => spell.known(line.top_share, percentOf)),
  numberColumn("Power fetched", (line) => spell.known(line.fetched_share, percentOf)),
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

/** The proposals that a score rests on, the latest first, and why others do not count. */
export function proposalSection(
  spaceId: string,
  { members, leftOut }: EvidenceStory,
  studio: Studio,
): Section | undefined {
  const shown =
    members.length > PROPOSALS_MAX ? `, of which this page shows the latest ${PROPOSALS_MAX}` : "";
  const others = htmlTable("Proposals that do not count", leftOut, [
    nameColumn("Reason", ({ sentence }) => spell.title(sentence)),
    numberColumn("Proposals", ({ count }) => spell.count(count)),
    { heading: "Code", of: ({ reason }) => html`<code>${reason}</code>` },
  ]);
  return {
    id: "proposals",
    title: "Proposals",
    body: html`<p>${members.length === 0 ? "No proposal counts" : `${spell.counted(members.length, "proposal")} ${members.length === 1 ? "counts" : "count"}${shown}`}.${members.length === 0 ? "" : html` <span class="files">${dataLink(studio, `${spaceId}/proposals`, members, PROPOSAL_DATA)}</span>`}</p>
${members.length === 0 ? "" : foldedTable("Proposals, the latest first", members.slice(0, PROPOSALS_MAX), PROPOSAL_COLUMNS, { shown: PROPOSALS_SEEN })}
${leftOut.length === 0 ? "" : folded("Proposals that do not count, and why", others)}`,
  };
}

/** What is not known, and what it would take. */
export function unknownSection({ notKnown }: Pick<EvidenceStory, "notKnown">): Section | undefined {
  if (notKnown.length === 0) return undefined;
  return {
    id: "unknown",
    title: "What is not known",
    isHalf: true,
    body: htmlTable("Indicators that are not known", notKnown, [
      nameColumn("Indicator", ({ asks }) => asks),
      proseColumn("It would take", ({ source }) =>
        source.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`)),
      ),
    ]),
  };
}

/** The scores of a year: the score with its interval, and each component in a chart of its own. */
export function daoHistory(
  { dao, full }: DaoReport,
  { names }: ReportData,
  studio: Studio,
): Section | undefined {
  const days = (full?.year ?? []).map((point) => ({ ...point, score: point.gvs }));
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || days.length < 2) return undefined;
  const band = days.some(({ ends }) => ends !== undefined)
    ? " Band: the interval in which the score lies, computed once a week from the proposals as they are measured now."
    : "";
  const until = full?.evidence?.knownUntil;
  const end =
    until === undefined || spell.day(until) >= last.date
      ? ""
      : ` Its votes are known until ${spell.day(until)}; votes cast since are not in the later scores.`;
  const text: YearText<(typeof days)[number]> = {
    title: `Score of ${dao.name} by day`,
    componentsTitle: `Components of ${dao.name}`,
    file: `${dao.space_id}/`,
    description: `From ${spell.score(first.gvs)} on ${first.date} to ${spell.score(last.gvs)} on ${last.date}.${band}${end}`,
    names,
    row: ({ date, gvs, components, ends, risk_score, data_completeness }) => ({
      date,
      ...scoreColumns({ gvs, ...components }, ends),
      risk_score,
      data_completeness,
    }),
  };
  return { id: "year", title: "The last year", body: yearCharts(studio, text, days) };
}
