import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { atomFeed, FEED_FILE } from "../compare/feed.ts";
import { movesOf } from "../compare/moves.ts";
import { createDraw } from "../drawing.ts";
import { whyUnscored } from "../evidence-texts.ts";
import { createOutputFolder, type FolderKind } from "../output-folder.ts";
import { spell } from "../spell.ts";
import { aboutPage } from "./about-page.ts";
import { changesPage } from "./changes-page.ts";
import type { Studio } from "./charts.ts";
import { comparePage } from "./compare-page.ts";
import { daoPage, unscoredPage } from "./dao-page.ts";
import { dgiPage } from "./dgi-page.ts";
import { INVENTED } from "./imprint.ts";
import { methodologyPage } from "./methodology-page.ts";
import { PAGES, renderPage } from "./page.ts";
import { qualityPage } from "./quality-page.ts";
import { RANKING_SCRIPT, rankingPage } from "./ranking-page.ts";
import { type ReportData, readReportData } from "./report-data.ts";

/** `llms.txt`: what this folder is and where things lie, for programs that read pages. */
function llmsText(data: ReportData): string {
  const daoLine = (
    { name, space_id: id }: { readonly name: string; readonly space_id: string },
    says: string,
  ) => {
    // A name must not write marks, links or lines of its own.
    const plain = name.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]()<>#]/g, "\\$&");
    return `- [${plain}](daos/${id}.html): ${says}`;
  };
  const lines = [
    "# govdata report",
    "",
    "> The governance health of DAOs, from published files alone. Scores run from 0 to 10, higher is better; risk from 0 to 100, lower is better.",
    "",
    `As of ${data.asOf}, method ${data.methodologyVersion}, version ${data.version}. ${data.isFull ? "Full report." : "Open report: no risk, no history of single DAOs, no proposals."}`,
    ...(data.imprint.invented ? [INVENTED] : []),
    "Missing data make an interval wider; they count neither as 0 nor as an average. Scores rate how a DAO votes, not whether its decisions are good.",
    "",
    "## Pages",
    "",
    ...PAGES.map(({ path, says }) => `- [${path}](${path}): ${says}`),
    `- [${FEED_FILE}](${FEED_FILE}): scores that moved since the previous version, as Atom`,
    "- charts/ and daos/charts/: the data (CSV) and the picture (SVG) of each chart",
    "",
    "## DAOs",
    "",
    ...data.daos.map(({ dao, interval, rankRange }) => {
      const ranks = rankRange === undefined ? "" : ` (${rankRange.join("–")})`;
      return daoLine(
        dao,
        `rank ${dao.rank}${ranks}, GVS ${spell.score(dao.gvs)}${spell.ends(interval?.gvs)}`,
      );
    }),
    ...data.unscored.map(({ dao }) =>
      daoLine(dao, `no score${spell.ends(dao.interval.gvs)}. ${whyUnscored(dao)}`),
    ),
    "",
  ];
  return lines.join("\n");
}

/** Every file of a report by its path; the same data give the same text. Style sheet and script are from the package. */
export async function buildReport(
  data: ReportData,
  packageDirectory: string,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const kit = { draw: await createDraw(), marks: await import("@observablehq/plot") };
  const studioIn = (folder: string): Studio => ({
    ...kit,
    source: `govdata · ${spell.day(data.asOf)} · method ${data.methodologyVersion}${data.imprint.invented ? " · invented DAOs" : ""}`,
    keep: (path, text) => files.set(`${folder}${path}`, text),
  });
  const studio = studioIn("");
  const pages = [
    rankingPage(data, studio),
    comparePage(data, studio),
    dgiPage(data, studio),
    changesPage(data),
    qualityPage(data),
    methodologyPage(data),
    aboutPage(data),
    ...data.daos.map((report) => daoPage(report, data, studioIn("daos/"))),
    ...data.unscored.map((report) => unscoredPage(report, studioIn("daos/"))),
  ];
  for (const page of pages) files.set(page.path, renderPage(data, page));
  for (const name of ["report.css", RANKING_SCRIPT]) {
    files.set(name, readFileSync(join(packageDirectory, "pipeline", "tools", "report", name), "utf8"));
  }
  const { sequence, createdAt, asOf, changes } = data;
  const moves = movesOf({ sequence, created_at: createdAt, as_of: asOf }, changes?.daos ?? []);
  return files.set("llms.txt", llmsText(data)).set(FEED_FILE, await atomFeed(asOf, moves, undefined));
}

const REPORT: FolderKind = {
  name: "a report",
  markFile: "report.json",
  kind: "govdata-report",
  hint: "Name a new or empty folder, or an earlier report, which is replaced.",
  failure: "BAD_OPTION",
  makesParents: true,
};

/**
 * `govdata report`: the current version as pages, whole or not at all; a full one also tells what the API gives to Pro
 * callers only, and what only the published files hold. Throws `PipelineFailure`.
 */
export async function runReport(
  settings: Settings,
  directory: string,
  isFull: boolean,
  { runId }: Pick<RunEffects, "runId">,
) {
  const data = await withStore(() => readReportData(settings, isFull));
  const files = await buildReport(data, settings.packageDirectory);
  const { version, asOf } = data;
  const folder = createOutputFolder({ path: directory, isForced: true, runId }, REPORT);
  try {
    for (const [path, text] of files) folder.putText(path, text);
    await folder.finish(() => ({ version, as_of: asOf, is_full: isFull }));
  } finally {
    folder.drop();
  }
  return { version, asOf, isFull, files: files.size };
}
