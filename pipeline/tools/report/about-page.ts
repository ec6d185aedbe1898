import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import { citation, contactLink, licenseName, publisherName, scoreWords } from "./imprint.ts";
import { column, htmlTable, listedSections, type Page } from "./page.ts";
import { rankWords } from "./ranking-page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

const listOf = (sentences: readonly string[]): Html =>
  html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;

const IS = [
  "A score from 0 to 10 of how a DAO votes: how many take part, how far voting power is spread, how proposals are discussed, and how orderly the process is. Higher is better.",
  "Computed from public votes by a published method. Anybody can compute it again from the published files.",
  "A best guess within an interval. What is not known makes the interval wider; it counts neither as 0 nor as an average.",
];

const IS_NOT = [
  "No judgement of whether decisions are good, and none of the people who take them.",
  "No advice to buy or sell, and no word on the safety of code or funds.",
  "No count of people: wallets vote, and one person may have many.",
  "No order of two DAOs that the page Compare calls unclear: do not write that one of them is better.",
  "Not comparable with scores of a method with another first number.",
];

/** The DAO of which most is known, so that the example shows how a score is read and not how little is known. */
function exampleOf({ daos }: ReportData): DaoReport | undefined {
  const width = ({ interval }: DaoReport): number =>
    interval === undefined ? Number.POSITIVE_INFINITY : interval.gvs[1] - interval.gvs[0];
  return daos.toSorted((a, b) => width(a) - width(b) || a.dao.rank - b.dao.rank)[0];
}

const nameIn = ({ imprint }: ReportData, { dao }: DaoReport): string =>
  `${imprint.invented ? "the invented DAO " : ""}${dao.name}`;

/** A score as the end of a clause, its interval first; without one, where that is not published. */
function scoreClause({ dao: { gvs }, interval }: DaoReport): string {
  const [low, high] = (interval?.gvs ?? []).map(spell.score);
  const point = spell.score(gvs);
  if (low === undefined) return `was ${point} of 10`;
  return low === high
    ? `was ${point} of 10, and nothing that is not known could change it`
    : `lay between ${low} and ${high} of 10, whatever the missing data would show, with ${point} as the best guess`;
}

function example(data: ReportData, report: DaoReport | undefined): Html {
  const day = spell.day(data.asOf);
  if (report === undefined) return html`<p>No DAO had a score on ${day}, so there is no example.</p>`;
  const { dao } = report;
  const components = COMPONENT_KEYS.map(
    (key) => `${COMPONENT_TEXTS[key].name} ${spell.score(dao.components[key])}`,
  ).join(", ");
  const ranks = rankWords(report);
  return html`<p>On ${day}, the score of ${nameIn(data, report)} ${scoreClause(report)}. Of ${spell.counted(data.daos.length, "DAO")} with a score it could have ${ranks.includes("–") ? "any of the ranks" : "only rank"} ${ranks}. The best guess of its four components: ${components}. <a href="daos/${dao.space_id}.html">Its page</a> says what they are made of.</p>
<p class="muted">It is the DAO with the narrowest interval.</p>`;
}

/** Sentences that stay true when they stand alone: each has its day, its method and what it does not say. */
function quotable(data: ReportData, report: DaoReport | undefined): Html {
  const { daos, unscored, asOf, methodologyVersion } = data;
  const day = spell.day(asOf);
  const world = data.imprint.invented ? "invented DAOs" : "DAOs";
  const source = `(govdata, method ${methodologyVersion})`;
  const tracked = daos.length + unscored.length;
  const sentences = [
    `On ${day}, ${daos.length} of ${tracked} tracked ${world} had a governance score${daos.length === tracked ? "" : "; for the others the known votes did not allow one"} ${source}.`,
    ...(report === undefined
      ? []
      : [`On ${day}, the governance score of ${nameIn(data, report)} ${scoreClause(report)} ${source}.`]),
    `A governance score rates how a DAO votes, not whether its decisions are good ${source}.`,
  ];
  return html`${sentences.map((sentence) => html`<blockquote><p>${sentence}</p></blockquote>`)}`;
}

function citing(data: ReportData, report: DaoReport | undefined): Html {
  const cited = citation(data, report?.dao.name ?? "Ranking", report && scoreWords(report));
  return html`<p>Name the number with its interval, the day, the method and the version. Each page has its line at the foot:</p>
<blockquote><p>${cited}</p></blockquote>
<p>If somebody opts out, versions are written again without them, and no score changes. The new name differs in its last eight digits alone, and <code>govdata explain ${report?.dao.space_id ?? "DAO"} --version ${data.version}</code> finds it by the old one too.</p>`;
}

function publisher(data: ReportData): Html {
  const [name, license] = [publisherName(data), licenseName(data)];
  const error = contactLink(data, "Report an error");
  return html`<p>${name === undefined ? "These files do not name a publisher." : html`${name} publishes these numbers.`} ${license === undefined ? "No licence is named." : html`The licence of the numbers is ${license}.`}</p>
<p>${error === undefined ? "No address is named for errors and opting out." : html`${error}, or ${contactLink(data, "opt out")}: an organisation that asks is no longer named.`}</p>`;
}

function corrections({ corrections: list }: ReportData): Html {
  if (list.length === 0) return html`<p>No correction is recorded.</p>`;
  return htmlTable(
    "Corrections, the latest first",
    list.toReversed(),
    [
      column.name("Date", ({ date }) => date),
      column.prose("What was wrong", ({ wrong }) => wrong),
      column.prose("What was changed", ({ changed }) => changed),
    ],
    ({ versions }) => (versions === undefined ? "" : `In ${versions.join(", ")}`),
  );
}

/** For whoever writes about these numbers: what they say, how to quote them, and who answers for them. */
export function aboutPage(data: ReportData): Page {
  const report = exampleOf(data);
  return {
    path: "about.html",
    title: "In plain words",
    description: "What a score says and what not, how to cite it, who publishes it, and what was corrected.",
    body: html`<h1>What these numbers say</h1>
${listedSections([
  { id: "is", title: "What a score is", body: listOf(IS), isHalf: true },
  { id: "is-not", title: "What it is not", body: listOf(IS_NOT), isHalf: true },
  { id: "example", title: "An example", body: example(data, report) },
  { id: "quote", title: "Sentences that may be quoted", body: quotable(data, report) },
  { id: "cite", title: "How to cite one number", body: citing(data, report) },
  { id: "publisher", title: "Who publishes this", body: publisher(data) },
  { id: "corrections", title: "Corrections", body: corrections(data) },
])}`,
  };
}
