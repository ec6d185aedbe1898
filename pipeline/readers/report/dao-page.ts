import {
  COMPONENT_KEYS,
  type ComponentKey,
  labelledPoints,
  labelOf,
} from "../../../snapshots/format/value-sets.ts";
import { type Html, html, outsideLink, spell } from "../html.ts";
import { componentBars, type Studio } from "./charts.ts";
import { neighbourSection } from "./compare-page.ts";
import { delegateSection, graphSection } from "./delegate-section.ts";
import { daoEvidence, daoHistory } from "./evidence-section.ts";
import { htmlTable, nameColumn, numberColumn, type Page, proseColumn, type TableColumn } from "./page.ts";
import type { DaoReport, FullDao, ReportData } from "./report-data.ts";

/** The risk of one DAO and its factors, or that it was not assessed; and the entities that carry most power. */
export function daoRisk({ risk, detail }: FullDao): Html {
  const body =
    risk === undefined
      ? html`<p>Not assessed: no power is known on any ballot.</p>`
      : html`<p class="lead">${spell.tenth(risk.risk_score)} of 100, ${risk.risk_level}; ${risk.trend} over 30 days. Less is better.</p>
${htmlTable<readonly [name: string, value: string]>(
  "Risk factors",
  [
    ["Capture: how few voters decide", risk.factors.governance_capture_risk],
    ["Power of the four strongest", spell.percent(risk.factors.whale_control_pct)],
    ["Active voters of 90 days", spell.count(risk.factors.active_voter_count)],
    ["Concentration of delegated power", risk.factors.delegate_centralization],
    ["Pace of proposals", spell.word(risk.factors.proposal_velocity)],
    ["Power that votes in one sitting", spell.percent(risk.factors.checkpoint_voting_pct)],
  ],
  [nameColumn("Factor", ([name]) => name), numberColumn("Found", ([, value]) => value)],
)}`;
  const entities =
    detail.top_entities.length === 0
      ? html``
      : html`<section aria-labelledby="entities"><h2 id="entities">Known entities</h2>
${htmlTable("Labelled entities with the most power in the frame", detail.top_entities, [
  nameColumn("Entity", ({ label }) => label),
  numberColumn("Power", (each) => spell.percent(each.voting_power_share_pct)),
  numberColumn("Proposals", ({ proposals_voted }) => proposals_voted),
  numberColumn("Takes part", (each) => spell.percent(each.participation_pct)),
])}</section>
`;
  return html`<section aria-labelledby="risk"><h2 id="risk">Risk</h2>
${body}</section>
${entities}`;
}

/** The word that holds wherever in its interval a score lies. */
function labelled({ dao, interval }: DaoReport, key: ComponentKey | "gvs"): string {
  const score = key === "gvs" ? dao.gvs : dao.components[key];
  const [low, high] = interval?.[key] ?? [score, score];
  return labelOf(labelledPoints({ low, high }));
}

function place(report: DaoReport, { list }: ReportData): string {
  const { dao, rankRange: range } = report;
  const alike = list.filter(({ category }) => category === dao.category);
  const inCategory = alike.findIndex(({ space_id }) => space_id === dao.space_id) + 1;
  const sure =
    range === undefined || range[0] === range[1] ? "" : ` (by its interval, ${range.join(" to ")})`;
  return `rank ${dao.rank} of ${list.length}${sure}, ${inCategory} of ${alike.length} in ${spell.word(dao.category)}`;
}

function pulls({ dao, full }: DaoReport, { names }: ReportData): Html {
  const ordered = COMPONENT_KEYS.map((key) => ({ key, score: dao.components[key] })).sort(
    (a, b) => b.score - a.score,
  );
  const [best] = ordered;
  const worst = ordered.at(-1);
  if (best === undefined || worst === undefined) return html``;
  const costliest = full?.evidence?.components.find(({ key }) => key === worst.key)?.costliest;
  const why =
    costliest === undefined
      ? ""
      : `, where most is lost on: ${costliest.asks} (${spell.tenth(costliest.cost)} points)`;
  if (best.score === worst.score)
    return html`<p>All four components stand at ${spell.score(best.score)}.</p>`;
  return html`<p>It is strongest in <b>${names[best.key].name}</b> (${spell.score(best.score)}). What pulls it down: <b>${names[worst.key].name}</b> (${spell.score(worst.score)})${why}.</p>
`;
}

function caveats({ dao, full }: DaoReport): Html {
  const evidence = full?.evidence;
  const known =
    evidence === undefined ? "" : ` ${spell.percent(100 * evidence.knownShare)} of the score is known.`;
  const absent =
    evidence === undefined || evidence.presence.low === 1
      ? ""
      : ` ${evidence.presence.high > evidence.presence.low ? "Nobody has looked for a while, so that it may vote or not" : "It hardly votes any more"}: the low ends are multiplied by ${spell.score(evidence.presence.low)}.`;
  const confidence =
    dao.gvs_confidence === "low"
      ? "Confidence is low: fewer than 20 proposals could be judged."
      : "Confidence is high: at least 20 proposals could be judged.";
  const completeness =
    full === undefined ? "" : ` ${spell.percent(full.detail.data_completeness)} of the data are there.`;
  return html`<p class="muted">${confidence}${known}${absent}${completeness}</p>
`;
}

/** The score in one breath: how much, how sure, which place, and what pulls it down. */
export function daoStory(report: DaoReport, data: ReportData): Html {
  const { dao, interval } = report;
  const between =
    interval === undefined ? "" : ` [${spell.tenth(interval.gvs[0])}–${spell.tenth(interval.gvs[1])}]`;
  const range = interval === undefined ? html`` : html`<span class="range">${between}</span>`;
  return html`<div class="story">
<p class="figure"><b>${spell.score(dao.gvs)}</b> <span>of 10${range}</span></p>
<div><p class="lead">Scored ${spell.tenth(dao.gvs)} of 10${between}, ${labelled(report, "gvs").toLowerCase()}: ${place(report, data)}; ${spell.change(dao.delta_24h)} in 24 hours.</p>
${pulls(report, data)}${caveats(report)}</div>
</div>
`;
}

function componentColumns(report: DaoReport, { names }: ReportData): TableColumn<ComponentKey>[] {
  const { dao, full, interval } = report;
  const stories = full?.evidence?.components ?? [];
  const storyOf = (key: ComponentKey) => stories.find((each) => each.key === key);
  const fullColumns: TableColumn<ComponentKey>[] = [
    proseColumn("Costs it most", (key) => {
      const costliest = storyOf(key)?.costliest;
      return costliest === undefined ? "–" : `${costliest.asks} (${spell.tenth(costliest.cost)} points)`;
    }),
  ];
  return [
    nameColumn("Component", (key) => spell.title(names[key].name)),
    numberColumn("Score", (key) => html`<b>${spell.score(dao.components[key])}</b>`),
    numberColumn("Between", (key) =>
      interval === undefined ? "–" : interval[key].map(spell.score).join("–"),
    ),
    { heading: "In words", of: (key) => labelled(report, key) },
    ...(full?.evidence === undefined ? [] : fullColumns),
    proseColumn("Asks", (key) => names[key].asks),
  ];
}

function components(report: DaoReport, data: ReportData, studio: Studio): Html {
  const { dao } = report;
  const bars = COMPONENT_KEYS.map((key) => ({
    name: spell.title(data.names[key].name),
    score: dao.components[key],
    interval: report.interval?.[key],
  }));
  const hasIntervals = bars.some(({ interval }) => interval !== undefined);
  const said = bars.map(({ name, score }) => `${name} ${spell.score(score)}`).join(", ");
  return html`<section aria-labelledby="components"><h2 id="components">Four components</h2>
${componentBars(studio, bars, {
  id: "component-bars",
  title: `Components of ${dao.name}, 0 to 10`,
  description: `${said}.${hasIntervals ? " Whiskers: between which ends they lie." : ""}`,
})}
${htmlTable("Components", COMPONENT_KEYS, componentColumns(report, data))}</section>
`;
}

function ownLinks({ links = {} }: DaoReport): Html[] {
  return Object.entries(links).map(([name, link]) => html` · ${outsideLink(link ?? "", name)}`);
}

/** The page of one DAO: its story first, then what it is made of. */
export function daoPage(report: DaoReport, data: ReportData, studio: Studio): Page {
  const { dao, full } = report;
  const parts =
    full === undefined ? [] : [daoHistory(report, studio), daoRisk(full), daoEvidence(full, data)];
  return {
    path: `daos/${dao.space_id}.html`,
    title: dao.name,
    description: `${dao.name}: Governance Vitality Score ${spell.score(dao.gvs)} of 10, rank ${dao.rank} of ${data.list.length}.`,
    body: html`<p class="above"><a href="../index.html">Ranking</a> · ${spell.word(dao.category)} · <code>${dao.space_id}</code>${ownLinks(report)}</p>
<h1>${dao.name}</h1>
${daoStory(report, data)}
${components(report, data, studio)}
${neighbourSection(report)}
${parts}
${delegateSection(report, studio)}
${graphSection(report, studio)}
`,
  };
}
