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

/** Every file of a report by its path; the same data give the same text. */
export function buildReport(
  data: ReportData,
  studio: Studio,
  styleSheet: string,
): ReadonlyMap<string, string> {
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
  ]);
}
