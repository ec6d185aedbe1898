import {
  COMPONENT_KEYS,
  type ComponentKey,
  labelledPoints,
  labelOf,
  TREND_WORDS,
} from "../../../snapshots/format/value-sets.ts";
import { indicatorTexts } from "../../score/method/indicators.ts";
import { whyUnscored } from "../evidence-texts.ts";
import { type Html, type HtmlValue, html, outsideLink } from "../html.ts";
import { spell } from "../spell.ts";
import type { Studio } from "./charts.ts";
import { neighbourSection } from "./compare-page.ts";
import { delegateSection } from "./delegate-section.ts";
import { daoHistory, indicatorTables, proposalSection, unknownSection, verdict } from "./evidence-section.ts";
import { scoreWords } from "./imprint.ts";
import {
  COMPONENT_COLUMN,
  column,
  htmlTable,
  listedSections,
  type Page,
  type Section,
  scoreCell,
  scoreFigure,
} from "./page.ts";
import { rankWords } from "./ranking-page.ts";
import type { DaoReport, EvidenceStory, FullDao, ReportData, UnscoredReport } from "./report-data.ts";

/** Between which ends the risk lies; nothing where it is not known. */
const riskEnds = ({ evidence }: FullDao): string =>
  evidence?.risk === undefined ? "" : `${spell.tenth(evidence.risk.low)}–${spell.tenth(evidence.risk.high)} `;

function daoRisk(full: FullDao): Section {
  const { risk, evidence } = full;
  const factors = evidence?.risk?.factors ?? [];
  const table = htmlTable("Risk factors", factors, [
    column.name("Factor", ({ name }) => spell.title(name)),
    column.number("Value", ({ value }) => spell.risk(value)),
  ]);
  const body =
    risk === undefined
      ? html`<p>Not assessed: the power of no vote is known.</p>`
      : html`<p><b>${spell.tenth(risk.risk_score)}</b>, ${riskEnds(full)}of 100: ${spell.risk(risk.risk_level)}, ${TREND_WORDS[risk.trend]} over 30 days. Lower is better.</p>
${factors.length === 0 ? "" : table}`;
  return { id: "risk", title: "Risk", body, isHalf: true };
}

function concentrationSection(evidence: EvidenceStory | undefined): Section | undefined {
  if (evidence === undefined || evidence.concentration.length === 0) return undefined;
  return {
    id: "concentration",
    title: "Concentration",
    isHalf: true,
    body: html`${htmlTable("Concentration of cast power", evidence.concentration, [
      column.name("Figure", ({ name }) => name),
      column.number("Value", ({ value }) => value),
    ])}<p class="muted">Medians over the ballots. No score uses them.</p>`,
  };
}

function entities({ detail: { top_entities: strongest } }: FullDao): Section | undefined {
  if (strongest.length === 0) return undefined;
  return {
    id: "entities",
    title: "Known entities",
    isHalf: true,
    body: htmlTable("Labelled entities with the most voting power", strongest, [
      column.name("Entity", ({ label }) => label),
      column.number("Power", (entity) => spell.percent(entity.voting_power_share_pct)),
      column.number("Voted on", ({ proposals_voted, proposals_known, proposals_unknown: unknown }) => {
        // What was not fetched is not absence, so it is counted apart.
        const more = unknown === 0 ? "" : `, ${unknown} unknown`;
        return `${proposals_voted} of ${proposals_known} known ballots${more}`;
      }),
      column.number("Of those known", (entity) => spell.known(entity.participation_pct, spell.percent)),
    ]),
  };
}

type Figure = readonly [name: string, value: HtmlValue, note: HtmlValue];

/** What stands first on the page: each with what it is called, and a note in small. */
const figureList = (items: readonly Figure[]): Html =>
  html`<dl class="figures">${items.map(([name, value, note]) => html`<div><dt>${name}</dt><dd>${value} <small>${note}</small></dd></div>`)}</dl>
`;

function figures(report: DaoReport, { daos }: ReportData): Html {
  const { dao, inCategory, interval, full } = report;
  const [score, range] = scoreFigure(dao.gvs, interval?.gvs);
  const [low, high] = interval?.gvs ?? [dao.gvs, dao.gvs];
  const word = labelOf(labelledPoints({ low, high })).toLowerCase();
  const risk = full?.risk;
  const riskFigure: Figure[] = risk
    ? [["Risk", spell.tenth(risk.risk_score), `${riskEnds(full)}of 100, ${spell.risk(risk.risk_level)}`]]
    : [];
  return figureList([
    ["Score, 0 to 10", score, range === "" ? word : `${range}, ${word}`],
    ["Change", spell.change(dao.delta_24h), "in 24 hours"],
    ["Rank", rankWords(report), `of ${daos.length}`],
    [`Rank in ${spell.word(dao.category)}`, inCategory.rank, `of ${inCategory.total}`],
    ...riskFigure,
  ]);
}

/** How many proposals count; without evidence no more than how much of the score is known. */
function caveats({ dao, full, knownShare }: DaoReport): Html {
  const { presence, knownUntil } = full?.evidence ?? {};
  const share =
    full?.evidence !== undefined || knownShare === undefined
      ? ""
      : ` ${spell.percent(100 * knownShare)} of the score is known.`;
  const known =
    presence?.low === 1 && knownUntil !== undefined ? ` Votes are known until ${spell.day(knownUntil)}.` : "";
  return html`<p class="muted">${dao.gvs_confidence === "low" ? "Fewer than 20 proposals count." : "At least 20 proposals count."}${share}${known}</p>
`;
}

/** What is told of the components of a DAO, of which an unscored one has only the ends. */
function components(
  scores: Readonly<Record<ComponentKey, number>> | undefined,
  interval: DaoReport["interval"],
  evidence: EvidenceStory | undefined,
): Section {
  const costs = column.prose("Surely loses most on", (key: ComponentKey) => {
    const costliest = evidence?.components.find((story) => story.key === key)?.costliest;
    return costliest === undefined ? "–" : `${costliest.asks} (${spell.tenth(costliest.cost)} points)`;
  });
  const columns = [
    COMPONENT_COLUMN,
    column.number("Score", (key: ComponentKey) => scoreCell(scores?.[key], interval?.[key])),
    ...(evidence === undefined ? [] : [costs]),
  ];
  return {
    id: "components",
    title: "Four components",
    body: html`${htmlTable("Components, 0 to 10", COMPONENT_KEYS, columns)}
${evidence && indicatorTables(evidence)}`,
  };
}

function pageHead({ dao, links = {} }: DaoReport | UnscoredReport): Html {
  const daoLinks = Object.entries(links).map(([name, link]) => html` · ${outsideLink(link ?? "", name)}`);
  return html`<p class="above"><a href="../index.html">Ranking</a> · <code>${dao.space_id}</code>${daoLinks}</p>
<h1>${dao.name}</h1>
`;
}

export function daoPage(report: DaoReport, data: ReportData, studio: Studio): Page {
  const { dao, full, interval } = report;
  const evidence = full?.evidence;
  return {
    path: `daos/${dao.space_id}.html`,
    title: dao.name,
    cited: scoreWords(report),
    description: `${dao.name}: Governance Vitality Score ${spell.score(dao.gvs)} of 10, rank ${dao.rank} of ${data.daos.length}.`,
    body: html`${pageHead(report)}${figures(report, data)}
${evidence && interval && verdict(evidence, interval.gvs)}${caveats(report)}
${listedSections([
  components(dao.components, interval, evidence),
  daoHistory(report, studio),
  neighbourSection(report),
  full && daoRisk(full),
  concentrationSection(evidence),
  full && entities(full),
  evidence && unknownSection(evidence.notKnown),
  evidence && proposalSection(dao.space_id, evidence, studio),
  delegateSection(report, studio),
])}`,
  };
}

export function unscoredPage(report: UnscoredReport, studio: Studio): Page {
  const { dao, evidence } = report;
  const [score, note] = scoreFigure(undefined, dao.interval.gvs);
  return {
    path: `daos/${dao.space_id}.html`,
    title: dao.name,
    description: `${dao.name} has no Governance Vitality Score: ${whyUnscored(dao)}`,
    body: html`${pageHead(report)}${figureList([
      ["Score lies in", score, note],
      ["Rank", "–", "none without a score"],
      ["Category", spell.word(dao.category), ""],
    ])}
<p class="lead">It has no score. ${dao.reason.message}</p>
${listedSections([
  components(undefined, dao.interval, evidence?.members.length ? evidence : undefined),
  concentrationSection(evidence),
  unknownSection(dao.not_known.map(({ id }) => ({ id, ...indicatorTexts(id) }))),
  evidence && proposalSection(dao.space_id, evidence, studio),
])}`,
  };
}
