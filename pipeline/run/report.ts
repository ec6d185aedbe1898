import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildReport } from "../exports/report/build-report.ts";
import { createDraw } from "../exports/report/drawing.ts";
import { writeReport } from "../exports/report/write-report.ts";
import type { RunEffects } from "./effects.ts";
import { readReportData } from "./report-data.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** Where to write a report, and how much it may tell. */
export interface ReportRequest {
  readonly directory: string;
  /** Also what the API gives to Pro callers only, and what only the published files hold. */
  readonly isFull: boolean;
}

/** What was written. */
export interface ReportResult {
  readonly version: string;
  readonly asOf: string;
  readonly isFull: boolean;
  readonly files: number;
}

/** `govdata report`: the current version as pages, whole or not at all. Throws `PipelineError`. */
export async function runReport(
  settings: Settings,
  { directory, isFull }: ReportRequest,
  effects: Pick<RunEffects, "runId">,
): Promise<ReportResult> {
  const data = await withStore(() => readReportData(settings, isFull));
  const folder = join(settings.packageDirectory, "pipeline", "exports", "report");
  const studio = { draw: await createDraw(), marks: await import("@observablehq/plot") };
  const files = await buildReport(data, studio, readFileSync(join(folder, "report.css"), "utf8"));
  const { version, asOf } = data;
  writeReport(directory, files, { version, as_of: asOf, is_full: isFull }, effects.runId);
  return { version, asOf, isFull, files: files.size };
}
