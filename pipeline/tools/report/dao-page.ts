import {
  COMPONENT_KEYS,
  type ComponentKey,
  labelledPoints,
  labelOf,
  TREND_WORDS,
} from "../../../snapshots/format/value-sets.ts";
import { type Html, type HtmlValue, html, outsideLink } from "../html.ts";
import { spell } from "../spell.ts";
import { below, type Studio, scoreBar } from "./charts.ts";
import { neighbourSection } from "./compare-page.ts";
import { delegateSection } from "./delegate-section.ts";
import { daoHistory, indicatorTables, proposalSection, unknownSection } from "./evidence-section.ts";
import {
  htmlTable,
  listedSections,
  nameColumn,
  numberColumn,
  type Page,
  proseColumn,
  type Section,
  type TableColumn,
} from "./page.ts";
import { rankWords } from "./ranking-page.ts";
import type { DaoReport, FullDao, ReportData } from "./report-data.ts";

/** Between which ends the risk lies; nothing where it is not known. */
const riskEnds = ({ evidence }: FullDao): string =>
  evidence?.risk === undefined ? "" : `${spell.tenth(evidence.risk.low)}–${spell.tenth(evidence.risk.high)} `;

function daoRisk(full: FullDao): Section {
  const { risk, evidence } = full;
  const factors = evidence?.risk?.factors ?? [];
  const assessed =
    risk === undefined
      ? html`<p>Not assessed: the power of no vote is known.</p>`
      : html`<p><b>${spell.tenth(risk.risk_score)}</b>, ${riskEnds(full)}of 100: ${risk.risk_level}, ${TREND_WORDS[risk.trend]} over 30 days. Lower is better.</p>
${
  factors.length === 0
    ? ""
    : htmlTable("Risk factors", factors, [
        nameColumn("Factor", ({ name }) => spell.title(name)),
        numberColumn("Value", ({ value }) => value),
      ])
}`;
  return { id: "risk", title: "Risk", body: assessed, isHalf: true };
}

/** What was not fetched is not absence, so it is counted apart. */
function votedOn({
  proposals_voted: voted,
  proposals_known: known,
  proposals_unknown: unknown,
}: FullDao["detail"]["top_entities"][number]): string {
  return `${voted} of ${known} known ballots${unknown === 0 ? "" : `, ${unknown} unknown`}`;
}

function entities({ detail: { top_entities: strongest } }: FullDao): Section | undefined {
  if (strongest.length === 0) return undefined;
  return {
    id: "entities",
    title: "Known entities",
    isHalf: true,
    body: htmlTable("Labelled entities with the most voting power", strongest, [
      nameColumn("Entity", ({ label }) => label),
      numberColumn("Power", (entity) => spell.percent(entity.voting_power_share_pct)),
      numberColumn("Voted on", (entity) => votedOn(entity)),
      numberColumn("Of those known", (entity) => spell.known(entity.participation_pct, spell.percent)),
    ]),
  };
}

/** The word that holds wherever in its interval a score lies. */
function labelled({ dao, interval }: DaoReport, key: ComponentKey | "gvs"): string {
  const score = key === "gvs" ? dao.gvs : dao.components[key];
  const [low, high] = interval?.[key] ?? [score, score];
  return labelOf(labelledPoints({ low, high }));
}

/** What stands first on the page: each with what it is called, and a note in small. */
function figures(report: DaoReport, { list }: ReportData): Html {
  const { dao, inCategory, interval, full } = report;
  const items: readonly (readonly [name: string, value: HtmlValue, note: HtmlValue])[] = [
    [
      "Score",
      html`<b>${spell.score(dao.gvs)}</b>`,
      `${interval === undefined ? "" : `${interval.gvs.map(spell.score).join("–")} `}of 10, ${labelled(report, "gvs").toLowerCase()}`,
    ],
    ["Change", spell.change(dao.delta_24h), "in 24 hours"],
    ["Rank", rankWords(report), `of ${list.length}`],
    [`Rank in ${spell.word(dao.category)}`, inCategory.rank, `of ${inCategory.total}`],
    ...(full?.risk === undefined
      ? []
      : [
          [
            "Risk",
            spell.tenth(full.risk.risk_score),
            `${riskEnds(full)}of 100, ${full.risk.risk_level}`,
          ] as const,
        ]),
    ...(full?.evidence === undefined
      ? []
      : [["Known", spell.percent(100 * full.evidence.knownShare), "of the score"] as const]),
  ];
  return html`<dl class="figures">${items.map(([name, value, note]) => html`<div><dt>${name}</dt><dd>${value} <small>${note}</small></dd></div>`)}</dl>
`;
}

/** The component that no other can exceed, and the one that exceeds no other, wherever in their intervals they lie. */
function strongestAndWeakest({ interval, full }: DaoReport, { names }: ReportData): Html {
  if (interval === undefined) return html``;
  const isAbove = (one: ComponentKey, other: ComponentKey): boolean => interval[one][0] >= interval[other][1];
  const others = (key: ComponentKey) => COMPONENT_KEYS.filter((other) => other !== key);
  const best = COMPONENT_KEYS.find((key) => others(key).every((other) => isAbove(key, other)));
  const worst = COMPONENT_KEYS.find((key) => others(key).every((other) => isAbove(other, key)));
  const costliest = full?.evidence?.components.find(({ key }) => key === worst)?.costliest;
  const why =
    costliest === undefined
      ? ""
      : `, which loses most on “${costliest.asks}” (${spell.tenth(costliest.cost)} points)`;
  const said = [
    ...(best === undefined ? [] : [`its strongest component is ${names[best].name}`]),
    ...(worst === undefined ? [] : [`its weakest is ${names[worst].name}${why}`]),
  ].join(", ");
  return said === ""
    ? html`<p class="lead">The intervals of its components overlap, so none is surely the strongest or the weakest.</p>
`
    : html`<p class="lead">${said.replace("its", "Its")}.</p>
`;
}

function caveats({ dao, full }: DaoReport): Html {
  const evidence = full?.evidence;
  const absent =
    evidence?.absence === undefined
      ? ""
      : ` ${evidence.absence}: the low end of each score is multiplied by ${spell.score(evidence.presence.low)}.`;
  const proposals =
    dao.gvs_confidence === "low" ? "Fewer than 20 proposals count." : "At least 20 proposals count.";
  // Where the DAO may have voted since, the next sentence says until when its votes are known.
  const until = evidence?.presence.low === evidence?.presence.high ? evidence?.knownUntil : undefined;
  const known = until === undefined ? "" : `, and votes are known until ${spell.day(until)}`;
  const completeness =
    full === undefined
      ? ""
      : ` The data are ${spell.percent(full.detail.data_completeness)} complete${known}.`;
  return html`<p class="muted">${proposals}${completeness}${absent}</p>
`;
}

function componentColumns(report: DaoReport, { names }: ReportData): TableColumn<ComponentKey>[] {
  const { dao, full, interval } = report;
  const stories = full?.evidence?.components;
  const costs = proseColumn<ComponentKey>("Loses most on", (key) => {
    const costliest = stories?.find((story) => story.key === key)?.costliest;
    return costliest === undefined ? "–" : `${costliest.asks} (${spell.tenth(costliest.cost)} points)`;
  });
  return [
    nameColumn("Component", (key) => html`${spell.title(names[key].name)}<small>${names[key].asks}</small>`),
    numberColumn(
      "Score",
      (key) =>
        html`<b>${spell.score(dao.components[key])}</b>${scoreBar(dao.components[key], interval?.[key])}${below(interval?.[key], spell.score)}`,
    ),
    { heading: "In words", of: (key) => labelled(report, key) },
    ...(stories === undefined ? [] : [costs]),
  ];
}

function components(report: DaoReport, data: ReportData): Section {
  const evidence = report.full?.evidence;
  return {
    id: "components",
    title: "Four components",
    body: html`${htmlTable("Components, 0 to 10", COMPONENT_KEYS, componentColumns(report, data))}
${evidence === undefined ? "" : indicatorTables(evidence, data)}`,
  };
}

/** The page of one DAO: its figures first, then what they are made of. */
export function daoPage(report: DaoReport, data: ReportData, studio: Studio): Page {
  const { dao, full, links = {} } = report;
  const daoLinks = Object.entries(links).map(([name, link]) => html` · ${outsideLink(link ?? "", name)}`);
  return {
    path: `daos/${dao.space_id}.html`,
    title: dao.name,
    description: `${dao.name}: Governance Vitality Score ${spell.score(dao.gvs)} of 10, rank ${dao.rank} of ${data.list.length}.`,
    body: html`<p class="above"><a href="../index.html">Ranking</a> · <code>${dao.space_id}</code>${daoLinks}</p>
<h1>${dao.name}</h1>
${figures(report, data)}
${strongestAndWeakest(report, data)}${caveats(report)}
${listedSections([
  components(report, data),
  daoHistory(report, data, studio),
  neighbourSection(report),
  full && daoRisk(full),
  full && entities(full),
  full && unknownSection(full),
  full && proposalSection(report, studio),
  delegateSection(report, studio),
])}`,
  };
}
