import { type Command, Option } from "commander";
import { PipelineError } from "../../facts/errors.ts";
import type { Output } from "../../readers/tables/export-table.ts";
import { type PushReport, type Uploaded, withUpload } from "../../upkeep/transfer.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatBytes } from "../terminal/table.ts";
import { type CommandContext, isWithin } from "./command-context.ts";

/** The option of what publishes, as commander gives it. */
export interface UploadFlags {
  readonly to?: string | undefined;
}

/** Adds the option that carries on what was published. */
export function addUploadOption(command: Command): Command {
  return command.addOption(
    new Option("--to <address>", "then upload the version to s3://bucket/prefix (AWS_… variables)"),
  );
}

/** Does what publishes, and carries it on where `--to` says so. */
export function publishing<Result extends object>(
  { settings, effects, environment }: CommandContext,
  { to }: UploadFlags,
  publish: () => Promise<Result>,
  kind?: "redact",
) {
  const destination = to === undefined ? undefined : { to, environment };
  return withUpload(settings, destination, effects, publish, kind);
}

/** The exit code of what was published and, where `--to` says so, carried on. */
export function publishedExit(uploaded: Uploaded | undefined, failedCount = 0): number {
  return failedCount > 0 || uploaded?.kind === "failed" ? EXIT.partial : EXIT.done;
}

/** What was pushed, in words. */
export function formatPushed({ kind, version, sequence, to, files, bytes, skipped }: PushReport): string {
  if (kind === "unchanged") return `${version} (sequence ${sequence}) is at ${to} already\n`;
  const there = skipped === 0 ? "" : `, ${skipped} were there already`;
  return `pushed ${version} (sequence ${sequence}) to ${to}: ${files} files, ${formatBytes(bytes)}${there}\n`;
}

/** What `--to` came to, in words; what failed was said as it failed. */
export function formatUploaded(uploaded: Uploaded | undefined): string {
  if (uploaded === undefined || uploaded.kind === "failed") return "";
  const { removed } = uploaded;
  return `${formatPushed(uploaded)}${removed.map((version) => `deleted ${version} there\n`).join("")}`;
}

/** What `-o` and `--force` said. */
export interface OutputFlags {
  readonly output?: string;
  readonly force?: boolean;
}

/** The file that `-o` names; `undefined` for stdout. Throws `PipelineError` BAD_OPTION for one nobody can have meant. */
export function outputFile(
  { settings, effects }: CommandContext,
  { output, force }: OutputFlags,
): Extract<Output, { readonly path: string }> | undefined {
  if (output === undefined) return undefined;
  if (output === "") throw new PipelineError("BAD_OPTION", "--output must name a file");
  if (isWithin(settings.snapshotsDirectory, output)) {
    throw new PipelineError("BAD_OPTION", "--output must not lie in the folder of --snapshots", {
      hint: "A version may hold only files that its manifest names.",
    });
  }
  return { path: output, isForced: force === true, runId: effects.runId };
}
