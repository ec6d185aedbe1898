import { runRedact } from "../../upkeep/versions.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import {
  addUploadOption,
  formatUploaded,
  publishedExit,
  publishing,
  type UploadFlags,
} from "../options/destination.ts";
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
export const redactCommand = command({
  name: "redact",
  description: "remove everybody who opted out from every kept version",
  details:
    "Each version is written anew without them and the old one is deleted, with --to also in object storage. Exits with 1 if a damaged version may still name them.",
  example: "govdata redact --dry-run",
  takes: (made) =>
    addUploadOption(made)
      .option("--dry-run", "only print what would change")
      .addOption(
        publicKeyOption(
          "sign again also what one of these keys (commas between) has signed, beside the home's own",
        ),
      ),
  run(context: CommandContext, { dryRun: isDryRun = false, publicKey: publicKeys, to }: RedactFlags) {
    const whileReadersFollow = () => context.pause(READERS_FOLLOW_MS);
    const options = { isDryRun, whileReadersFollow, publicKeys };
    const redact = () => runRedact(context.settings, options, context.effects);
    return publishing(context, isDryRun ? {} : { to }, redact, "redact");
  },
  text: (result, _context, { dryRun = false }) =>
    `${formatRedacted(result, dryRun)}${formatUploaded(result.uploaded)}`,
  exit: ({ unredacted, uploaded }) => (unredacted.length > 0 ? EXIT.failed : publishedExit(uploaded)),
});
