import { atomFeed, FEED_FILE } from "../feed.ts";
import { movesOf } from "../feed-moves.ts";
import { changesPage } from "./changes-page.ts";
import type { Studio } from "./charts.ts";
import { daoPage } from "./dao-page.ts";
import { dgiPage } from "./dgi-page.ts";
import { llmsText } from "./llms-text.ts";
import { methodologyPage } from "./methodology-page.ts";
import { renderPage } from "./page.ts";
import { qualityPage } from "./quality-page.ts";
import { rankingPage } from "./ranking-page.ts";
import type { ReportData } from "./report-data.ts";

/** What moved since the version before, for whoever reads feeds. */
function reportFeed({ asOf, sequence, createdAt, changes }: ReportData): Promise<string> {
  const moves = movesOf([{ sequence, createdAt, asOf, daos: changes?.daos ?? [] }]);
  return atomFeed({ asOf, moves, baseUrl: undefined });
}

/** Every file of a report by its path; the same data give the same text. */
export async function buildReport(
  data: ReportData,
  studio: Studio,
  styleSheet: string,
): Promise<ReadonlyMap<string, string>> {
  const pages = [
    rankingPage(data, studio),
    dgiPage(data, studio),
    changesPage(data),
    qualityPage(data),
    methodologyPage(data),
    ...data.daos.map((report) => daoPage(report, data, studio)),
  ];
  return new Map([
    ...pages.map((page) => [page.path, renderPage(data, page)] as const),
    ["report.css", styleSheet],
    ["llms.txt", llmsText(data)],
    [FEED_FILE, await reportFeed(data)],
  ]);
}
