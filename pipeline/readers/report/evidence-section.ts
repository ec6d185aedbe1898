import type { DaoHistory } from "../../../snapshots/format/dao.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html, outsideLink, spell } from "../html.ts";
import { type Studio, scoreHistory } from "./charts.ts";
import { foldedTable, htmlTable, nameColumn, numberColumn, proseColumn, type TableColumn } from "./page.ts";
import type { DaoReport, EvidenceStory, FullDao, ReportData } from "./report-data.ts";

type ComponentStory = EvidenceStory["components"][number];
type IndicatorStory = ComponentStory["indicators"][number];

const between = (low: number, high: number): string => {
  const [from, to] = [spell.percent(100 * low), spell.percent(100 * high)];
  return from === to ? from : `${from}–${to}`;
};

const INDICATOR_COLUMNS: readonly TableColumn<IndicatorStory>[] = [
  nameColumn("Indicator", ({ asks }) => asks),
  numberColumn("Marks", ({ low, high, isKnown }) => (isKnown ? between(low, high) : "not known")),
  numberColumn("Points", ({ points, pointsMost }) => `${spell.score(points)} of ${spell.score(pointsMost)}`),
];

function indicators(component: ComponentStory, { names }: ReportData): Html {
  const { name, asks } = names[component.key];
  return html`${foldedTable(`How ${name} is made: ${asks}`, component.indicators, INDICATOR_COLUMNS)}
<p class="muted">Half-way to what could be, as some is not known: ${spell.score(component.notKnown)} points more.</p>`;
}

const percentOf = (share: number): string => spell.percent(100 * share);

const PROPOSAL_COLUMNS: readonly TableColumn<ProposalLine>[] = [
  nameColumn("Proposal", ({ id, title, link }) => {
    const code = html`<code title="${id}">${id.length > 12 ? `${id.slice(0, 10)}…` : id}</code>`;
    const name = title === undefined ? code : html`<bdi>${title}</bdi>`;
    return html`${link === undefined ? name : outsideLink(link, name)}${title === undefined ? "" : html` ${code}`}`;
  }),
  { heading: "Ended", of: ({ end_at }) => (end_at === null ? "–" : spell.day(end_at)) },
  numberColumn("Votes", ({ votes }) => spell.known(votes, spell.count)),
  numberColumn("Weight", ({ weight }) => spell.known(weight, spell.score)),
  numberColumn("Voters to decide", (line) => spell.known(line.majority_voters, spell.count)),
  numberColumn("Largest voter", (line) => spell.known(line.top_share, percentOf)),
  numberColumn("Power fetched", (line) => spell.known(line.fetched_share, percentOf)),
];

function proposals({ members, leftOut }: EvidenceStory): Html {
  const out =
    leftOut.length === 0
      ? html``
      : htmlTable("Proposals that are not in the frame", leftOut, [
          nameColumn("Place", ({ reason }) => html`<code>${reason}</code>`),
          numberColumn("Proposals", ({ count }) => spell.count(count)),
          proseColumn("Why", ({ sentence }) => sentence),
        ]);
  return html`<section aria-labelledby="proposals"><h2 id="proposals">Proposals in the frame</h2>
<p>The score rests on ${spell.count(members.length)} ${members.length === 1 ? "proposal" : "proposals"} with the place <code>MEMBER</code>, the latest first.</p>
${members.length === 0 ? html`` : htmlTable("Proposals of the frame", members, PROPOSAL_COLUMNS)}
${out}</section>
`;
}

function certainty({ completenessPct, knownShare, fetchedAt, notKnown }: EvidenceStory): Html {
  const missing = notKnown.map(({ asks, source }) => html`<li>${asks}: it would come from ${source}</li>`);
  return html`<section aria-labelledby="certainty"><h2 id="certainty">How much is known</h2>
<p>${percentOf(knownShare)} of the score is known; ${spell.known(completenessPct, spell.percent)} of the data are there, last fetched whole ${fetchedAt === undefined ? "never" : spell.day(fetchedAt)}.</p>
${missing.length === 0 ? html`` : html`<p>Not known:</p><ul>${missing}</ul>`}</section>
`;
}

/** Why the scores are what they are: indicators, proposals, and what is missing. Nothing without evidence. */
export function daoEvidence({ evidence }: FullDao, data: ReportData): Html {
  if (evidence === undefined) return html``;
  return html`<section aria-labelledby="indicators"><h2 id="indicators">What the components are made of</h2>
${evidence.components.map((component) => indicators(component, data))}</section>
${proposals(evidence)}
${certainty(evidence)}`;
}

const DAYS_SHOWN = 365;

/** The score of a year, as a line and as numbers. */
export function daoHistory({ dao, full, interval }: DaoReport, studio: Studio): Html {
  const history = scoreHistory(
    studio,
    { id: "history-line", title: `GVS of ${dao.name} by day` },
    (full?.history?.points ?? []).slice(-DAYS_SHOWN),
    { heading: "GVS", of: ({ gvs }) => gvs, lastBetween: interval?.gvs },
    [
      ...COMPONENT_KEYS.map((key) =>
        numberColumn(key.toUpperCase(), ({ components }: DaoHistory["points"][number]) =>
          spell.score(components[key]),
        ),
      ),
      numberColumn("Risk", (point) => spell.known(point.risk_score, spell.tenth)),
    ],
  );
  if (history === undefined) return html``;
  return html`<section aria-labelledby="history"><h2 id="history">The last year</h2>
${history}</section>
`;
}
