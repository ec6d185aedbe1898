import type { Command } from "commander";
import { type PullReport, runPull } from "../../upkeep/transfer.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { allowOption, publicKeyOption } from "../options/parse-options.ts";
import { formatBytes } from "../terminal/table.ts";

function formatPulled({ kind, version, sequence, from, files, bytes, linked, kept }: PullReport): string {
  if (kind === "unchanged") return `${version} (sequence ${sequence}) of ${from} is here already\n`;
  const had = linked + kept === 0 ? "" : `, ${linked + kept} were here already`;
  return `pulled ${version} (sequence ${sequence}) from ${from}: ${files} files, ${formatBytes(bytes)}${had}\n`;
}

/** `govdata pull FROM` */
export function pullCommand(process: ProcessContext): Command {
  return describedCommand(
    "pull",
    "bring the version that object storage or a mirror names under the snapshot root",
    "govdata pull https://mirror.example/governance",
  )
    .argument("<from>", "s3://bucket/prefix, or https://… of a mirror")
    .addOption(allowOption("pull although these gates refuse", ["rollback"]))
    .addOption(publicKeyOption("refuse a version that none of these keys (commas between) has signed"))
    .action(async (from: string, flags: { allow: readonly string[]; publicKey?: string }, self: Command) => {
      const context = contextOf(self, process);
      const result = await runPull(
        context.settings,
        {
          from,
          environment: process.environment,
          publicKeys: flags.publicKey,
          allowsRollback: flags.allow.includes("rollback"),
        },
        context.effects,
      );
      context.print(formatPulled(result), result);
    });
}
