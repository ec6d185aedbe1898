import { type Command, Option } from "commander";
import { runRedact } from "../../run/redact.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";

/** A proxy looks at the pointer once a second; the rest is for opening the version. */
const READERS_FOLLOW_MS = 3_000;

type Redacted = Awaited<ReturnType<typeof runRedact>>;

/** How many were taken out is said of each version, and of nobody who it was. */
function formatRedacted({ versions, unchanged }: Redacted, isDryRun: boolean): string {
  const lines = versions.map(({ version, replacedBy, isSigned, ...did }) => {
    const { entitiesDropped, filesChanged, filesLinked } = did;
    const name =
      replacedBy === undefined ? `${version} would be written anew` : `${version} is now ${replacedBy}`;
    return `${name}: ${entitiesDropped} entities out, ${filesChanged} files changed, ${filesLinked} as they were${isSigned ? ", signed" : ""}`;
  });
  const verb = isDryRun ? "would be redacted" : "redacted";
  return `${[...lines, `${versions.length} versions ${verb}, ${unchanged} name nobody who opted out`].join("\n")}\n`;
}

/** `govdata redact --dry-run` */
export function redactCommand(process: ProcessContext): Command {
  return describedCommand(
    "redact",
    "take everybody who opted out out of every kept version",
    "govdata redact --dry-run",
  )
    .option("--dry-run", "say what would change, and change nothing")
    .addOption(
      new Option(
        "--public-key <keys>",
        "sign again also what one of these keys (commas between) has signed, beside the home's own",
      ).env("GOVDATA_PUBLIC_KEY"),
    )
    .action(async (flags: { dryRun?: boolean; publicKey?: string }, self: Command) => {
      const context = contextOf(self, process);
      const isDryRun = flags.dryRun === true;
      const result = await runRedact(
        context.settings,
        { isDryRun, readersFollowMs: READERS_FOLLOW_MS, publicKeys: flags.publicKey },
        context.effects,
      );
      context.print(formatRedacted(result, isDryRun), result);
    });
}
