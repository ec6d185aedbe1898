import { Option } from "commander";
import { formatBytes } from "../../../snapshots/base/command-line/table.ts";
import type { PullReport, PushReport, Uploaded } from "../../upkeep/transfer.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { allowOption } from "../options/parse-options.ts";
import { type KeyFlags, publicKeyOption, publicKeysOf } from "../options/settings.ts";
import { EXIT } from "../terminal/exit-codes.ts";

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
  const { withUpload } = await import("../../upkeep/transfer.ts");
  return withUpload(settings, to === undefined ? undefined : { to, environment }, effects, publish, kind);
}

export function publishedExit(uploaded: Uploaded | undefined, failedCount = 0): number {
  return failedCount > 0 || uploaded?.kind === "failed" ? EXIT.partial : EXIT.done;
}

function formatPushed({ kind, version, sequence, to, files, bytes, skipped }: PushReport): string {
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

export const pushCommand = command({
  name: "push",
  description: "upload the current version to object storage",
  details: "Uploads the pointer last. Refuses if somebody else published there.",
  example: "govdata push s3://bucket/governance",
  takes: (made) =>
    made.argument("<to>", "s3://bucket/prefix (AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID …)"),
  run: async ({ settings, effects, environment }: CommandContext, to: string) =>
    (await import("../../upkeep/transfer.ts")).runPush(settings, { to, environment }, effects),
  text: formatPushed,
});

function formatPulled({ kind, version, sequence, from, files, bytes, linked, kept }: PullReport): string {
  if (kind === "unchanged") return `${version} (sequence ${sequence}) of ${from} is already here\n`;
  const had = linked + kept === 0 ? "" : `, ${linked + kept} were already here`;
  return `pulled ${version} (sequence ${sequence}) from ${from}: ${files} files, ${formatBytes(bytes)}${had}\n`;
}

export const pullCommand = command({
  name: "pull",
  description: "download the current version from object storage or a mirror",
  details: "The version arrives completely or not at all.",
  example: "govdata pull https://mirror.example/governance",
  takes: (made) =>
    made
      .argument("<from>", "s3://bucket/prefix, or https://… of a mirror")
      .addOption(allowOption("download even if these gates refuse", ["rollback"]))
      .addOption(publicKeyOption("refuse a version that none of these keys signed")),
  async run(
    { settings, effects, environment }: CommandContext,
    from: string,
    flags: KeyFlags & { readonly allow: readonly string[] },
  ) {
    const allowsRollback = flags.allow.includes("rollback");
    const options = { from, environment, publicKeys: publicKeysOf(environment, flags), allowsRollback };
    const { runPull } = await import("../../upkeep/transfer.ts");
    return runPull(settings, options, effects);
  },
  text: formatPulled,
});
