import type { Command } from "commander";
import { withUpload } from "../../upkeep/transfer.ts";
import { runRedact } from "../../upkeep/versions.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { addUploadOption, destinationOf, formatUploaded, type UploadFlags } from "../options/destination.ts";
import { publicKeyOption } from "../options/parse-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

/** A proxy looks at the pointer once a second; the rest is for opening the version. */
const READERS_FOLLOW_MS = 3_000;

type Redacted = Awaited<ReturnType<typeof runRedact>>;

/** What could not be redacted, and the way out: a damaged version goes, or is replaced by a publish and then goes. */
function formatUnredacted(unredacted: Redacted["unredacted"]): readonly string[] {
  if (unredacted.length === 0) return [];
  const isCurrentAmong = unredacted.some(({ isCurrent }) => isCurrent);
  return [
    `${unredacted.length} damaged, not redacted, and may name somebody still:`,
    ...unredacted.map(
      ({ version, isCurrent, message }) => `  ${version}${isCurrent ? " (current)" : ""}: ${message}`,
    ),
    ...(isCurrentAmong
      ? ["The current one is replaced first: `govdata publish`, then `govdata redact` again."]
      : []),
    "`govdata verify VERSION --deep` says what is wrong with one. Restore its folder and redact again, or delete it.",
  ];
}

/** How many were taken out is said of each version, and of nobody who it was. */
function formatRedacted({ versions, unchanged, unredacted }: Redacted, isDryRun: boolean): string {
  const lines = versions.map(({ version, replacedBy, isSigned, ...did }) => {
    const { entitiesDropped, filesChanged, filesLinked } = did;
    const name =
      replacedBy === undefined ? `${version} would be written anew` : `${version} is now ${replacedBy}`;
    return `${name}: ${entitiesDropped} entities out, ${filesChanged} files changed, ${filesLinked} as they were${isSigned ? ", signed" : ""}`;
  });
  const verb = isDryRun ? "would be redacted" : "redacted";
  const sum = `${versions.length} versions ${verb}, ${unchanged} name nobody who opted out`;
  return `${[...lines, sum, ...formatUnredacted(unredacted)].join("\n")}\n`;
}

interface RedactFlags extends UploadFlags {
  readonly dryRun?: boolean;
  readonly publicKey?: string;
}

/** `govdata redact --dry-run --to ADDRESS` */
export function redactCommand(process: ProcessContext): Command {
  const command = describedCommand(
    "redact",
    "take everybody who opted out out of every kept version",
    "govdata redact --dry-run",
  );
  return addUploadOption(command)
    .option("--dry-run", "say what would change, and change nothing")
    .addOption(
      publicKeyOption(
        "sign again also what one of these keys (commas between) has signed, beside the home's own",
      ),
    )
    .action(async (flags: RedactFlags, self: Command) => {
      const context = contextOf(self, process);
      const isDryRun = flags.dryRun === true;
      const { settings, effects } = context;
      const options = { isDryRun, readersFollowMs: READERS_FOLLOW_MS, publicKeys: flags.publicKey };
      const destination = isDryRun ? undefined : destinationOf(flags, process);
      const redact = () => runRedact(settings, options, effects);
      const result = await withUpload(settings, destination, effects, redact, "redact");
      context.print(`${formatRedacted(result, isDryRun)}${formatUploaded(result.uploaded)}`, result);
      if (result.unredacted.length > 0) process.exitWith(EXIT.failed);
      else if (result.uploaded?.kind === "failed") process.exitWith(EXIT.partial);
    });
}
