import { type CommandContext, command } from "../options/command-context.ts";
import { formatPushed } from "../options/destination.ts";

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
