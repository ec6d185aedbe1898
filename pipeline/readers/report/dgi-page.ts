import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { html, spell } from "../html.ts";
import { type Studio, scoreHistory } from "./charts.ts";
import { htmlTable, type Page } from "./page.ts";
import type { ReportData } from "./report-data.ts";

/** The Decentralized Governance Index, now and over a year. */
export function dgiPage(data: ReportData, studio: Studio): Page {
  const { dgi, dgiHistory, names } = data;
  const year = scoreHistory(
    studio,
    { id: "index-line", title: "The index by day" },
    dgiHistory?.values ?? [],
    { heading: "Index", of: ({ composite }) => composite },
    COMPONENT_KEYS.map((key) => ({
      heading: spell.title(names[key].name),
      of: ({ components }) => spell.score(components[key]),
      isNumber: true,
    })),
  );
  const now =
    dgi === undefined
      ? html`<p class="lead">There is no index: it needs five DAOs with enough data.</p>`
      : html`<div class="story"><p class="figure"><b>${spell.score(dgi.composite)}</b> <span>of 10</span></p>
<div><p class="lead">The plain mean of ${dgi.dao_count} DAOs with enough data; each weighs the same.</p>
<p class="muted">Members are chosen on the day before each quarter, so that the index moves when its members do and not when a DAO comes or goes. It covers the DAOs that are tracked here, not the world.</p></div></div>
${htmlTable(
  "The index and its components",
  [
    { heading: "Part", of: ([name]: readonly [string, number]) => name, isRowName: true },
    { heading: "Score", of: ([, score]) => spell.score(score), isNumber: true },
  ],
  [
    ["Index", dgi.composite] as const,
    ...COMPONENT_KEYS.map((key) => [spell.title(names[key].name), dgi.components[key]] as const),
  ],
)}`;
  return {
    path: "dgi.html",
    title: "Decentralized Governance Index",
    description: "The health of DAO governance as one number, over a year.",
    body: html`<h1>Decentralized Governance Index</h1>
${now}
<section aria-labelledby="year"><h2 id="year">The last year</h2>
${year ?? html`<p>There is no history yet.</p>`}</section>
`,
  };
}
