import type { Command } from "commander";
import { type Column, formatBytes, formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import { GATE_OVERRIDES } from "../../gate/gate-rules.ts";
import type { FetchResult } from "../../stages/fetch.ts";
import type { PublishOptions, PublishResult } from "../../stages/publish.ts";
import type { StageTime } from "../../stages/run-report.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { type AsOfFlags, allowOption, asOfMsOf } from "../options/parse-options.ts";
import { SETTINGS } from "../options/settings.ts";
import { addSourceOptions, fetchOptionsOf, type SourceFlags } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatUploaded, publishedExit, publishing, type UploadFlags, uploadOption } from "./push.ts";

function formatFetches({ records }: FetchResult, { columns }: CommandContext): string {
  const table = formatTable(
    records,
    [
      { heading: "space", cell: (record) => record.spaceId },
      { heading: "status", cell: (record) => record.status },
      right("proposals", (record) => String(record.proposals)),
      right("votes", (record) => String(record.votes)),
      right("lists", (record) => String(record.delegateLists), "drop"),
      right("logs", (record) => String(record.logs), "drop"),
      right("rejected", ({ rejected }) =>
        String(Object.values(rejected).reduce((sum, count) => sum + count, 0)),
      ),
    ],
    columns,
  );
  const failures = records.flatMap(({ spaceId, error }) =>
    error === undefined ? [] : [`${spaceId}: ${error.code} ${error.message}\n`],
  );
  return `${table}${failures.length === 0 ? "" : "\n"}${failures.join("")}`;
}

export const fetchCommand = command({
  name: "fetch",
  description: "fetch data into the warehouse; publish nothing",
  example: "govdata fetch --source archive --from ./archive",
  takes: (made) =>
    addSourceOptions(made.argument("[space...]", "DAOs to fetch (default: all of the registry)")).addOption(
      SETTINGS.option("GOVDATA_THREADS"),
    ),
  async run({ settings, effects, environment }: CommandContext, spaceIds: string[], flags: SourceFlags) {
    const options = fetchOptionsOf(flags, spaceIds, environment);
    return (await import("../../stages/fetch.ts")).runFetch(settings, options, effects);
  },
  text: formatFetches,
  json: ({ records }) => records,
  exit: ({ failedCount }) => (failedCount > 0 ? EXIT.partial : EXIT.done),
});

interface PublishFlags extends AsOfFlags, UploadFlags {
  readonly allow: PublishOptions["overrides"];
}

const addPublishOptions = (made: Command): Command =>
  made
    .addOption(SETTINGS.option("GOVDATA_AS_OF"))
    .addOption(allowOption("publish even if these gates refuse", GATE_OVERRIDES));

const publishOptionsOf = (flags: PublishFlags, context: CommandContext): PublishOptions => ({
  asOfMs: asOfMsOf(flags, context),
  overrides: flags.allow,
});

function formatPublished(result: PublishResult): string {
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

function formatStages(stages: readonly StageTime[]): string {
  const sum = (timeOf: (stage: StageTime) => number | undefined): number =>
    stages.reduce((total, stage) => total + (timeOf(stage) ?? 0), 0);
  const wallMs = sum((stage) => stage.wallMs);
  const hasProcessor = stages.some((stage) => stage.processorMs !== undefined);
  const processorMs = hasProcessor ? sum((stage) => stage.processorMs) : undefined;
  const columns: Column<StageTime>[] = [
    { heading: "stage", cell: (row) => row.stage },
    right("seconds", (row) => seconds(row.wallMs)),
    right("share", (row) => (wallMs > 0 ? `${((100 * row.wallMs) / wallMs).toFixed(1)} %` : "")),
    right("processor s", (row) => seconds(row.processorMs)),
    right("bytes", (row) => (row.bytes === undefined ? "" : formatBytes(row.bytes))),
  ];
  return formatTable([...stages, { stage: "all", wallMs, processorMs }], columns);
}

export const publishCommand = command({
  name: "publish",
  description: "score, check and publish what the warehouse holds",
  details:
    "With --to the version is then uploaded; exit code 3 if it is published here but was not uploaded.",
  example: "govdata publish --as-of 2026-04-28",
  takes: (made) =>
    addPublishOptions(made).addOption(uploadOption()).addOption(SETTINGS.option("GOVDATA_THREADS")),
  async run(context: CommandContext, flags: PublishFlags) {
    const options = publishOptionsOf(flags, context);
    const { runPublish } = await import("../../stages/run.ts");
    const publish = () => runPublish(context.settings, options, context.effects);
    const result = await publishing(context, flags, publish);
    if (context.isVerbose) context.terminal.err(formatStages(result.stages));
    return result;
  },
  text: (result) => `${formatPublished(result)}${formatUploaded(result.uploaded)}`,
  exit: ({ daosFailed, uploaded }) => publishedExit(uploaded, daosFailed.length),
});

export const runCommand = command({
  name: "run",
  description: "fetch, score, check and publish: the command for cron",
  example: "govdata run --source archive --from ./archive --as-of 2026-04-28",
  takes: (made) =>
    addPublishOptions(addSourceOptions(made))
      .addOption(uploadOption())
      .addOption(SETTINGS.option("GOVDATA_THREADS")),
  async run(context: CommandContext, flags: SourceFlags & PublishFlags) {
    const options = {
      fetch: fetchOptionsOf(flags, [], context.environment),
      publish: { ...publishOptionsOf(flags, context), isFull: flags.full === true },
    };
    const { runAll } = await import("../../stages/run.ts");
    const result = await publishing(context, flags, () => runAll(context.settings, options, context.effects));
    if (context.isVerbose) context.terminal.err(formatStages(result.published.stages));
    return result;
  },
  text: ({ published, uploaded }) => `${formatPublished(published)}${formatUploaded(uploaded)}`,
  exit: ({ fetched, published, uploaded }) =>
    publishedExit(uploaded, fetched.failedCount + published.daosFailed.length),
});
