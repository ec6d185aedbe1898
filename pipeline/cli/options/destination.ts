import { Option } from "commander";
import { formatBytes } from "../../../snapshots/base/command-line/table.ts";
import type { PushReport, Uploaded } from "../../upkeep/transfer.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import type { CommandContext } from "./command-context.ts";

export interface UploadFlags {
  readonly to?: string | undefined;
}

export function uploadOption(): Option {
  return new Option("--to <address>", "then upload the version to s3://bucket/prefix (AWS_… variables)");
}

export async function publishing<Result extends object>(
  { settings, effects, environment }: CommandContext,
  { to }: UploadFlags,
  publish: () => Promise<Result>,
  kind?: "redact",
) {
  const destination = to === undefined ? undefined : { to, environment };
  const { withUpload } = await import("../../upkeep/transfer.ts");
  return withUpload(settings, destination, effects, publish, kind);
}

/** The exit code after a publish and its upload. */
export function publishedExit(uploaded: Uploaded | undefined, failedCount = 0): number {
  return failedCount > 0 || uploaded?.kind === "failed" ? EXIT.partial : EXIT.done;
}

export function formatPushed({ kind, version, sequence, to, files, bytes, skipped }: PushReport): string {
  if (kind === "unchanged") return `${version} (sequence ${sequence}) is already at ${to}\n`;
  const present = skipped === 0 ? "" : `, ${skipped} were already there`;
  return `pushed ${version} (sequence ${sequence}) to ${to}: ${files} files, ${formatBytes(bytes)}${present}\n`;
}

/** Describes an upload; a failed one was already reported. */
export function formatUploaded(uploaded: Uploaded | undefined): string {
  if (uploaded === undefined || uploaded.kind === "failed") return "";
  const { removed } = uploaded;
  return `${formatPushed(uploaded)}${removed.map((version) => `deleted ${version} there\n`).join("")}`;
}
