import type { StageTime } from "../run/stage-clock.ts";
import { formatBytes } from "./format-bytes.ts";
import { type Column, formatTable } from "./table.ts";

const seconds = (ms: number | undefined): string => (ms === undefined ? "" : (ms / 1000).toFixed(2));

/** Where the time of a run went, stage by stage, and all together. */
export function formatStages(stages: readonly StageTime[]): string {
  const sum = (of: (stage: StageTime) => number | undefined): number =>
    stages.reduce((total, stage) => total + (of(stage) ?? 0), 0);
  const wallMs = sum((stage) => stage.wallMs);
  const hasProcessor = stages.some((stage) => stage.processorMs !== undefined);
  const all: StageTime = {
    stage: "all",
    wallMs,
    processorMs: hasProcessor ? sum((stage) => stage.processorMs) : undefined,
  };
  const columns: Column<StageTime>[] = [
    { heading: "stage", of: (row) => row.stage },
    { heading: "seconds", align: "right", of: (row) => seconds(row.wallMs) },
    {
      heading: "share",
      align: "right",
      of: (row) => (wallMs > 0 ? `${((100 * row.wallMs) / wallMs).toFixed(1)} %` : ""),
    },
    { heading: "processor s", align: "right", of: (row) => seconds(row.processorMs) },
    {
      heading: "bytes",
      align: "right",
      of: (row) => (row.bytes === undefined ? "" : formatBytes(row.bytes)),
    },
  ];
  return formatTable(columns, [...stages, all]);
}
