import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html, outsideLink, spell } from "../html.ts";
import { dataLink, type Studio, scorePanels, scoreTimeline } from "./charts.ts";
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
import type { DaoReport, EvidenceStory, FullDao, ReportData } from "./report-data.ts";

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

/** What each component is made of, folded. */
export function indicatorTables({ components }: EvidenceStory, { names }: ReportData): Html {
  return html`<div class="folds">${components.map(({ key, indicators, notKnown }) => {
    const title = `How ${names[key].name} is scored`;
    return folded(
      title,
      html`${htmlTable(title, indicators, INDICATOR_COLUMNS)}<p class="muted">Points are those that the known data guarantee. The score adds ${spell.score(notKnown)} points, half of what the unknown could add (on a logarithmic scale).</p>`,
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
  numberColumn("Votes", ({ votes }) => spell.known(votes, spell.count)),
  numberColumn("Weight", ({ weight }) => spell.known(weight, spell.score)),
  numberColumn("Voters for a majority", (line) => spell.known(line.majority_voters, spell.count)),
  numberColumn("Largest voter", (line) => spell.known(line.top_share, percentOf)),
  numberColumn("Power fetched", (line) => spell.known(line.fetched_share, percentOf)),
];

/** So many proposals are seen at once, so many are on the page, and the data have all of them. */
const PROPOSALS_SEEN = 5;
const PROPOSALS_MAX = 100;

/** The proposals that a score rests on, the latest first, and why others do not count. */
export function proposalSection({ dao, full }: DaoReport, studio: Studio): Section | undefined {
  if (full?.evidence === undefined) return undefined;
  const { members, leftOut } = full.evidence;
  const rows = members.map(
    ({ id, title, end_at, votes, weight, majority_voters, top_share, fetched_share, link }) => ({
      ...{ id, title, end_at, votes, weight, majority_voters, top_share, fetched_share, link },
    }),
  );
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
    body: html`<p>The score rests on ${spell.count(members.length)} ${members.length === 1 ? "proposal" : "proposals"}${shown}.${members.length === 0 ? "" : html` <span class="files">${dataLink(studio, `${dao.space_id}/proposals`, rows)}</span>`}</p>
${members.length === 0 ? "" : foldedTable("Proposals, the latest first", members.slice(0, PROPOSALS_MAX), PROPOSAL_COLUMNS, { shown: PROPOSALS_SEEN })}
${leftOut.length === 0 ? "" : folded("Proposals that do not count, and why", others)}`,
  };
}

/** What is not known, and what it would take. */
export function unknownSection({ evidence }: FullDao): Section | undefined {
  if (evidence === undefined || evidence.notKnown.length === 0) return undefined;
  return {
    id: "unknown",
    title: "What is not known",
    isHalf: true,
    body: htmlTable("Indicators that are not known", evidence.notKnown, [
      nameColumn("Indicator", ({ asks }) => asks),
      proseColumn("It would take", ({ source }) => source),
    ]),
  };
}

/** The scores of a year: the score with its interval, and each component in a chart of its own. */
export function daoHistory(
  { dao, full }: DaoReport,
  { names }: ReportData,
  studio: Studio,
): Section | undefined {
  const year = full?.year ?? [];
  const [first] = year;
  const last = year.at(-1);
  if (first === undefined || last === undefined || year.length < 2) return undefined;
  const weeks = year.filter(({ ends }) => ends !== undefined);
  const hasBand = weeks.length > 1;
  const ends = (name: string, pair: readonly [number, number] | undefined) => ({
    [`${name}_low`]: pair && spell.score(pair[0]),
    [`${name}_high`]: pair && spell.score(pair[1]),
  });
  const band = hasBand
    ? " Band: the interval in which the score lies, computed once a week from the proposals as they are measured now."
    : "";
  const line = scoreTimeline(
    studio,
    {
      id: "year-line",
      file: `${dao.space_id}/year`,
      title: `Score of ${dao.name} by day`,
      description: `From ${spell.score(first.gvs)} on ${first.date} to ${spell.score(last.gvs)} on ${last.date}.${band}`,
    },
    year.map(({ date, gvs, ends: pairs, components, risk_score, data_completeness }) => ({
      ...{ date, gvs, ...ends("gvs", pairs?.gvs), ...components, risk_score, data_completeness },
    })),
    year.map(({ date, gvs, ends: pairs }) => ({ date, score: gvs, ends: pairs?.gvs })),
  );
  const shown = hasBand ? weeks : year;
  const panels = scorePanels(
    studio,
    {
      id: "component-lines",
      file: `${dao.space_id}/components`,
      title: `Components of ${dao.name}${hasBand ? " by week" : " by day"}`,
      description: COMPONENT_KEYS.map(
        (key) => `${spell.title(names[key].name)} ${spell.score(last.components[key])}`,
      ).join(", "),
    },
    shown.map(({ date, components, ends: pairs }) =>
      Object.assign(
        { date },
        ...COMPONENT_KEYS.map((key) => ({ [key]: components[key], ...ends(key, pairs?.[key]) })),
      ),
    ),
    COMPONENT_KEYS.map((key) => ({
      name: spell.title(names[key].name),
      days: shown.map(({ date, components, ends: pairs }) => ({
        ...{ date, score: components[key], ends: pairs?.[key] },
      })),
    })),
  );
  return { id: "year", title: "The last year", body: html`${line}${panels}` };
}
