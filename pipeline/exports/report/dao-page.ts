import { labelOf } from "../../../snapshots/format/cuts.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { componentBars, type Studio } from "./charts.ts";
import { daoEvidence } from "./dao-evidence.ts";
import { daoHistory } from "./dao-history.ts";
import { daoRisk } from "./dao-risk.ts";
import { daoStory } from "./dao-story.ts";
import { delegateSection } from "./delegate-section.ts";
import { graphSection } from "./graph-section.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";
import type { ComponentStory, DaoReport, ReportData } from "./report-data.ts";
import { spell } from "./spell.ts";
import { htmlTable, type TableColumn } from "./table.ts";

function componentColumns({ dao, full }: DaoReport, { names }: ReportData): TableColumn<ComponentKey>[] {
  const stories = full?.evidence?.components ?? [];
  const storyOf = (key: ComponentKey): ComponentStory | undefined => stories.find((each) => each.key === key);
  const fullColumns: TableColumn<ComponentKey>[] = [
    {
      heading: "90 % interval",
      of: (key) => {
        const interval = storyOf(key)?.interval;
        return interval === undefined ? "–" : `${spell.score(interval.low)}–${spell.score(interval.high)}`;
      },
      isNumber: true,
    },
    {
      heading: "Costs it most",
      isProse: true,
      of: (key) => {
        const costliest = storyOf(key)?.costliest;
        return costliest === undefined ? "–" : `${costliest.asks} (${spell.tenth(costliest.points)} points)`;
      },
    },
  ];
  return [
    { heading: "Component", of: (key) => spell.title(names[key].name), isRowName: true },
    { heading: "Score", of: (key) => html`<b>${spell.score(dao.components[key])}</b>`, isNumber: true },
    { heading: "In words", of: (key) => labelOf(dao.components[key]) },
    ...(full?.evidence === undefined ? [] : fullColumns),
    { heading: "Asks", of: (key) => names[key].asks, isProse: true },
  ];
}

function components(report: DaoReport, data: ReportData, studio: Studio): Html {
  const { dao, full } = report;
  const bars = COMPONENT_KEYS.map((key) => ({
    name: spell.title(data.names[key].name),
    score: dao.components[key],
    interval: full?.evidence?.components.find((each) => each.key === key)?.interval,
  }));
  const hasIntervals = bars.some(({ interval }) => interval !== undefined);
  const said = bars.map(({ name, score }) => `${name} ${spell.score(score)}`).join(", ");
  return html`<section aria-labelledby="components"><h2 id="components">Four components</h2>
${componentBars(studio, bars, {
  id: "component-bars",
  title: `Components of ${dao.name}, 0 to 10`,
  description: `${said}.${hasIntervals ? " Whiskers: 90 % intervals." : ""}`,
})}
${htmlTable("Components", componentColumns(report, data), COMPONENT_KEYS)}</section>
`;
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
    body: html`<p class="above"><a href="../index.html">Ranking</a> · ${spell.word(dao.category)} · <code>${dao.space_id}</code></p>
<h1>${dao.name}</h1>
${daoStory(report, data)}
${components(report, data, studio)}
${parts}
${delegateSection(report, studio)}
${graphSection(report, studio)}
`,
  };
}
