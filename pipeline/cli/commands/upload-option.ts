import { type Command, Option } from "commander";
import type { Destination, PushReport } from "../../run/push.ts";
import type { Uploaded } from "../../run/push-after.ts";
import type { ProcessContext } from "../command-context.ts";
import { formatBytes } from "../format-bytes.ts";

/** The option of what publishes, as commander gives it. */
export interface UploadFlags {
  readonly to?: string;
}

/** Adds the option that carries on what was published. */
export function addUploadOption(command: Command): Command {
  return command.addOption(
    new Option("--to <address>", "then carry it to object storage: s3://bucket/prefix (AWS_… variables)"),
  );
}

/** Reads it; nothing is asked yet. */
export function destinationOf(
  { to }: UploadFlags,
  { environment }: Pick<ProcessContext, "environment">,
): Destination | undefined {
  return to === undefined ? undefined : { to, environment };
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
