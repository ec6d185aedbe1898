import type { runRedact } from "../../upkeep/versions.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { type KeyFlags, publicKeyOption, publicKeysOf } from "../options/settings.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatUploaded, publishedExit, publishing, type UploadFlags, uploadOption } from "./push.ts";

/** A proxy reads the pointer once a second; the rest of the time is for opening the version. */
const READERS_FOLLOW_MS = 3_000;

type Redacted = Awaited<ReturnType<typeof runRedact>>;

/** Versions that were not redacted, and what to do: delete a damaged one, after a publish if it is current. */
function formatUnredacted(unredacted: Redacted["unredacted"]): readonly string[] {
  if (unredacted.length === 0) return [];
  const isCurrentAmong = unredacted.some(({ isCurrent }) => isCurrent);
  return [
    `${unredacted.length} damaged versions were not redacted and may still name opted-out entities:`,
    ...unredacted.map(
      ({ version, isCurrent, message }) => `  ${version}${isCurrent ? " (current)" : ""}: ${message}`,
    ),
    ...(isCurrentAmong
      ? ["Replace the current one first: `govdata publish`, then `govdata redact` again."]
      : []),
    "`govdata verify VERSION --deep` shows what is damaged. Restore its folder and redact again, or delete it.",
  ];
}

/** Prints per version how many entities were removed, but never which. */
function formatRedacted({ versions, unchanged, unredacted }: Redacted, isDryRun: boolean): string {
  const lines = versions.map(({ version, replacedBy, isSigned, entitiesDropped, ...files }) => {
    const now = replacedBy === undefined ? "would be rewritten" : `is now ${replacedBy}`;
    return `${version} ${now}: ${entitiesDropped} entities removed, ${files.filesChanged} files changed, ${files.filesLinked} unchanged${isSigned ? ", signed" : ""}`;
  });
  const verb = isDryRun ? "would be redacted" : "redacted";
  const sum = `${versions.length} versions ${verb}, ${unchanged} name no opted-out entity`;
  return `${[...lines, sum, ...formatUnredacted(unredacted)].join("\n")}\n`;
}

export const redactCommand = command({
  name: "redact",
  description: "remove opted-out entities from every kept version",
  details:
    "Writes each version again without them and deletes the old one, with --to also in object storage. Exits with 1 if a damaged version may still name them.",
  example: "govdata redact --dry-run",
  takes: (made) =>
    made
      .addOption(uploadOption())
      .option("--dry-run", "only print what would change")
      .addOption(
        publicKeyOption("also sign versions again that one of these keys signed, besides the home's own"),
      ),
  async run(context: CommandContext, flags: UploadFlags & KeyFlags & { readonly dryRun?: boolean }) {
    const { dryRun: isDryRun = false, to } = flags;
    const publicKeys = publicKeysOf(context.environment, flags);
    const { runRedact } = await import("../../upkeep/versions.ts");
    const whileReadersFollow = () => context.pause(READERS_FOLLOW_MS);
    const options = { isDryRun, whileReadersFollow, publicKeys };
    const redact = () => runRedact(context.settings, options, context.effects);
    return publishing(context, isDryRun ? {} : { to }, redact, "redact");
  },
  text: (result, _context, { dryRun = false }) =>
    `${formatRedacted(result, dryRun)}${formatUploaded(result.uploaded)}`,
  exit: ({ unredacted, uploaded }) => (unredacted.length > 0 ? EXIT.failed : publishedExit(uploaded)),
});
