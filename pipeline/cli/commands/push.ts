import type { Command } from "commander";
import { runPush } from "../../upkeep/transfer.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { formatPushed } from "../options/destination.ts";

/** `govdata push TO` */
export function pushCommand(process: ProcessContext): Command {
  return describedCommand(
    "push",
    "carry the current version to object storage, its pointer last",
    "govdata push s3://bucket/governance",
  )
    .argument("<to>", "s3://bucket/prefix (AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID …)")
    .action(async (to: string, _flags: object, self: Command) => {
      const context = contextOf(self, process);
      const { environment } = process;
      const result = await runPush(context.settings, { to, environment }, context.effects);
      context.print(formatPushed(result), result);
    });
}
