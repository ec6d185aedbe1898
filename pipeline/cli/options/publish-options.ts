import type { Command } from "commander";
import { type Column, formatBytes, formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import { GATE_OVERRIDES } from "../../gate/gate-rules.ts";
import type { PublishOptions, PublishResult } from "../../stages/publish.ts";
import type { StageTime } from "../../stages/stage-clock.ts";
import type { CommandContext } from "./command-context.ts";
import { type AsOfFlags, allowOption, asOfMsOf } from "./parse-options.ts";
import { SETTINGS } from "./settings.ts";

/** The options of `publish` and `run` as commander parses them. */
export interface PublishFlags extends AsOfFlags {
  readonly allow: PublishOptions["overrides"];
}

export function addPublishOptions(command: Command): Command {
  return command
    .addOption(SETTINGS.option("GOVDATA_AS_OF"))
    .addOption(allowOption("publish even if these gates refuse", GATE_OVERRIDES));
}

/** Parses them; throws `BAD_OPTION`. */
export function publishOptionsOf(flags: PublishFlags, context: CommandContext): PublishOptions {
  return { asOfMs: asOfMsOf(flags, context), overrides: flags.allow };
}

export function formatPublished(result: PublishResult): string {
  const lines = [
    `published ${result.version} (sequence ${result.sequence}), as of ${result.asOf}`,
    `${result.daosScored} DAOs scored, ${result.daosUnscored} unscored; ${result.filesWritten} files written, ${result.filesLinked} linked`,
    ...result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
    ...result.daosFailed.map(
      (spaceId) =>
        `${spaceId}: the last fetch failed; its score is from what was fetched before, if anything`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

const seconds = (ms: number | undefined): string => (ms === undefined ? "" : (ms / 1000).toFixed(2));

/** The duration of a run by stage, and in total. */
export function formatStages(stages: readonly StageTime[]): string {
  const sum = (timeOf: (stage: StageTime) => number | undefined): number =>
    stages.reduce((total, stage) => total + (timeOf(stage) ?? 0), 0);
  const wallMs = sum((stage) => stage.wallMs);
  const hasProcessor = stages.some((stage) => stage.processorMs !== undefined);
  const all: StageTime = {
    stage: "all",
    wallMs,
    processorMs: hasProcessor ? sum((stage) => stage.processorMs) : undefined,
  };
  const columns: Column<StageTime>[] = [
    { heading: "stage", cell: (row) => row.stage },
    right("seconds", (row) => seconds(row.wallMs)),
    right("share", (row) => (wallMs > 0 ? `${((100 * row.wallMs) / wallMs).toFixed(1)} %` : "")),
    right("processor s", (row) => seconds(row.processorMs)),
    right("bytes", (row) => (row.bytes === undefined ? "" : formatBytes(row.bytes))),
  ];
  return formatTable([...stages, all], columns);
}
