import { basename } from "node:path";
import { Argument, Option } from "commander";
import { formatBytes, formatCount } from "../../../snapshots/base/command-line/table.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { type OutputFlags, outputFile, versionOption } from "../tool-options.ts";
import { DATASET_NAMES, type DatasetName, EXPORT_FORMATS, type ExportFormat } from "./choices.ts";
import type { Output } from "./export-table.ts";

interface ExportFlags extends OutputFlags {
  readonly format?: ExportFormat;
  readonly version?: string;
  readonly allVersions?: boolean;
  readonly dictionary?: boolean;
  readonly datapackage?: boolean;
  readonly partitioned?: boolean;
  readonly excel?: boolean;
}

/** What one call exports: a table, one of the two descriptions, or a folder of all tables. */
type Wanted = DatasetName | "dictionary" | "datapackage" | "partitioned";

/** Throws `BAD_OPTION` unless exactly one thing is requested, with options that apply to it. */
function wantedOf(dataset: DatasetName | undefined, flags: ExportFlags): Wanted {
  const { format, version, allVersions, excel } = flags;
  const asked = (["dictionary", "datapackage", "partitioned"] as const).filter((name) => flags[name]);
  const wanted: readonly Wanted[] = dataset === undefined ? asked : [dataset, ...asked];
  const [only] = wanted;
  if (only === undefined || wanted.length > 1) {
    throw pipelineFailure("BAD_OPTION", "exactly one thing can be exported", {
      hint: `Use one of ${DATASET_NAMES.join(", ")}, --dictionary, --datapackage and --partitioned.`,
    });
  }
  const isTable = only === dataset;
  const meaningless = [
    ...(format !== undefined && !isTable ? ["--format"] : []),
    ...(excel === true && !isTable ? ["--excel"] : []),
    ...(allVersions === true && !isTable ? ["--all-versions"] : []),
    ...(version !== undefined && only === "dictionary" ? ["--version"] : []),
  ];
  if (meaningless.length === 0) return only;
  throw pipelineFailure("BAD_OPTION", `--${only} cannot be combined with ${meaningless.join(" or ")}`);
}

/** The format requested, of the file's extension, or fit for stdout. Throws `BAD_OPTION`. */
function formatOf({ format, output }: ExportFlags, isJson: boolean): ExportFormat {
  const ending = EXPORT_FORMATS.find((format) => output?.endsWith(`.${format}`));
  if (!isJson || output !== undefined) return format ?? ending ?? "csv";
  if (format === undefined || format === "ndjson") return "ndjson";
  throw pipelineFailure("BAD_OPTION", `--json prints JSON, not ${format}`, {
    hint: "Omit one of the two, or write to a file with -o.",
  });
}

/** The file given by -o, otherwise stdout. Throws `BAD_OPTION`. */
function outputOf(context: CommandContext, flags: ExportFlags, isText: boolean): Output {
  const file = outputFile(context, flags);
  if (file !== undefined) return file;
  if (isText || context.columns === undefined) return { take: context.terminal.out };
  throw pipelineFailure("BAD_OPTION", "Parquet cannot be printed to a terminal", {
    hint: "Write it to a file with -o, or pipe it.",
  });
}

async function exportDataPackage(context: CommandContext, flags: ExportFlags) {
  const output = outputOf(context, flags, true);
  const { runDataPackage } = await import("./export-table.ts");
  const written = await runDataPackage(context.settings, flags.version, output, context.effects);
  const { output: file } = flags;
  if (written === undefined || file === undefined) return undefined;
  return {
    text: `wrote ${file}: ${formatBytes(written.bytes)}\n`,
    json: { file: basename(file), ...written },
  };
}

async function exportPartitioned(context: CommandContext, flags: ExportFlags) {
  const { output: folder, version } = flags;
  const output = outputFile(context, flags);
  if (output === undefined || folder === undefined) {
    throw pipelineFailure("BAD_OPTION", "--partitioned needs a folder to write", {
      hint: "Set -o to a new folder.",
    });
  }
  const { settings, effects } = context;
  const { runPartitionedExport } = await import("./partitioned/export-partitioned.ts");
  const exported = await runPartitionedExport(settings, { version }, output, effects);
  const { version: name, asOf, fetchedSince, files, bytes } = exported;
  const rows = Object.entries(exported.rows).map(([table, count]) => `${count} ${table}`);
  const later = fetchedSince.length === 0 ? "" : `fetched since that version: ${fetchedSince.join(", ")}\n`;
  return {
    text: `wrote ${folder}: ${files} files, ${formatBytes(bytes)}, of ${name} as of ${asOf}\n${rows.join(", ")}\n${later}`,
    json: { folder: basename(folder), ...exported },
  };
}

async function exportTable(context: CommandContext, dataset: DatasetName, flags: ExportFlags) {
  const format = formatOf(flags, context.isJson);
  const output = outputOf(context, flags, format !== "parquet");
  const { version, allVersions = false, excel = false, output: file = "" } = flags;
  if (excel && format !== "csv") {
    const hint = "Omit one of the two.";
    throw pipelineFailure("BAD_OPTION", `--excel writes CSV, not ${format}`, { hint });
  }
  const request = { dataset, format, version, isOfAllVersions: allVersions, isForSpreadsheets: excel };
  const { runExport } = await import("./export-table.ts");
  const { written, ...exported } = await runExport(context.settings, request, output, context.effects);
  if (written === undefined) return undefined;
  return {
    text: `wrote ${file}: ${formatCount(exported.rows, "row")}, ${formatBytes(written.bytes)}\n`,
    json: { file: basename(file), ...exported, ...written },
  };
}

export const exportCommand = command({
  name: "export",
  description: "write published data as CSV, NDJSON or Parquet",
  details: "With --partitioned it also reads the warehouse and writes every vote under a pseudonym.",
  example:
    "govdata export daos -o daos.parquet\n  govdata export history --all-versions --format ndjson\n  govdata export --dictionary",
  takes: (made) =>
    made
      .addArgument(new Argument("[dataset]", "which table").choices(DATASET_NAMES))
      .addOption(
        new Option(
          "--format <format>",
          "file format (default: by the file's extension, otherwise csv)",
        ).choices(EXPORT_FORMATS),
      )
      .option(
        "-o, --output <file>",
        "write to a file, or with --partitioned to a folder, atomically (default: stdout)",
      )
      .option("--force", "replace an existing file")
      .addOption(versionOption().conflicts("allVersions"))
      .option("--all-versions", "rows of every kept version, with columns version, sequence and as_of")
      .option("--excel", "CSV for spreadsheets: UTC times without a zone, and a byte-order mark")
      .option("--dictionary", "print the meaning of every column, as Markdown")
      .option(
        "--partitioned",
        "write a folder of Parquet files with scores, votes and everything else behind the scores",
      )
      .option("--datapackage", "print a Frictionless data package of the version's files"),
  async run(context: CommandContext, dataset: DatasetName | undefined, flags: ExportFlags) {
    const wanted = wantedOf(dataset, flags);
    if (wanted === "datapackage") return exportDataPackage(context, flags);
    if (wanted === "partitioned") return exportPartitioned(context, flags);
    if (wanted !== "dictionary") return exportTable(context, wanted, flags);
    if (flags.output !== undefined) {
      throw pipelineFailure("BAD_OPTION", "--dictionary is printed; it has no --output");
    }
    const { dataDictionary, dataDictionaryValue } = await import("./datasets.ts");
    return { text: dataDictionary(), json: dataDictionaryValue() };
  },
  text: ({ text }) => text,
  json: ({ json }) => json,
});
