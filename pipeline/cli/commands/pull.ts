import { formatBytes } from "../../../snapshots/base/command-line/table.ts";
import type { PullReport } from "../../upkeep/transfer.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { allowOption } from "../options/parse-options.ts";
import { publicKeyOption, publicKeysOf } from "../options/settings.ts";

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
  async run({ settings, effects, environment }: CommandContext, from: string, flags: PullFlags) {
    const allowsRollback = flags.allow.includes("rollback");
    const { runPull } = await import("../../upkeep/transfer.ts");
    return runPull(
      settings,
      { from, environment, publicKeys: publicKeysOf(environment, flags), allowsRollback },
      effects,
    );
  },
  text: formatPulled,
});

interface PullFlags {
  readonly allow: readonly string[];
  readonly publicKey?: string;
}
