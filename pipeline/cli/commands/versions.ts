import { formatBytes, formatCount } from "../../../snapshots/base/command-line/table.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { printableLine } from "../../../snapshots/base/plain-text.ts";
import type { PruneResult, RepairOutcome, runRedact, verifyPublished } from "../../upkeep/versions.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { allowOption, parseAgeDays, parseWhole } from "../options/parse-options.ts";
import { type KeyFlags, publicKeyOption, publicKeysOf } from "../options/settings.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatUploaded, publishedExit, publishing, type UploadFlags, uploadOption } from "./push.ts";

const loadVersions = () => import("../../upkeep/versions.ts");

type Verification = Awaited<ReturnType<typeof verifyPublished>>;

/** Problems printed; `--json` has all. */
const SHOWN_MAX = 100;

/** Most messages already contain their file's path, which anybody may have named. */
function formatProblem({ path: name, code, message }: Verification["problems"][number]): string {
  const path = printableLine(name);
  return message.includes(path) ? `${code} ${message}\n` : `${code} ${path}: ${message}\n`;
}

function formatVerification({ problems, files, bytes }: Verification, name: string): string {
  if (problems.length === 0) return `${name} is intact: ${files} files, ${bytes} bytes\n`;
  const shown = problems.slice(0, SHOWN_MAX).map(formatProblem).join("");
  const more = problems.length - SHOWN_MAX;
  const rest = more > 0 ? `and ${more} more; --json lists all\n` : "";
  return `${shown}${rest}${name} is damaged: ${formatCount(problems.length, "problem")}\n`;
}

interface VerifyFlags extends KeyFlags {
  readonly deep?: boolean;
  readonly minSequence?: string;
}

export const verifyCommand = command({
  name: "verify",
  description: "check the pointer, manifest and every file of a version",
  example: "govdata verify --deep",
  takes: (made) =>
    made
      .argument("[version]", "a kept version (default: the current one)")
      .option("--deep", "also rebuild every answer and compare the index with the files, byte for byte")
      .option("--min-sequence <n>", "refuse a version with a lower sequence")
      .addOption(publicKeyOption("refuse a version that none of these keys signed")),
  async run({ settings, environment }: CommandContext, version: string | undefined, flags: VerifyFlags) {
    const { deep, minSequence } = flags;
    const { verifyPublished } = await loadVersions();
    return verifyPublished(settings, {
      version,
      deep: deep === true,
      publicKeys: publicKeysOf(environment, flags),
      sequenceMin:
        minSequence === undefined ? undefined : parseWhole("--min-sequence", minSequence, 1, 999_999_999),
    });
  },
  text: (result, _context, version) =>
    formatVerification(result, result.version ?? version ?? "the current version"),
  exit: ({ problems }) => (problems.length > 0 ? EXIT.failed : EXIT.done),
});

function formatPruned({ removed, kept, freedBytes, isDryRun }: PruneResult & { isDryRun: boolean }): string {
  const lines = removed.map((version) => `${isDryRun ? "would delete" : "deleted"} ${version}`);
  const end = `${formatCount(removed.length, "version")}, ${formatBytes(freedBytes)}; ${kept.length} kept`;
  return `${[...lines, end].join("\n")}\n`;
}

export const pruneCommand = command({
  name: "prune",
  description:
    "delete old versions, but never the current one, the newest three or those of the last 15 minutes",
  example: "govdata prune --keep 90d --dry-run",
  takes: (made) =>
    made
      .option("--keep <age>", "delete versions older than this", "400d")
      .option("--dry-run", "only print what would be deleted"),
  async run({ settings, nowMs }: CommandContext, { keep, dryRun }: { keep: string; dryRun?: boolean }) {
    const isDryRun = dryRun === true;
    const keptAgeMs = parseAgeDays("--keep", keep) * DAY_MS;
    const { runPrune } = await loadVersions();
    return { ...(await runPrune(settings, { keptAgeMs, nowMs: nowMs(), isDryRun })), isDryRun };
  },
  text: formatPruned,
});

interface AllowFlags extends KeyFlags {
  readonly allow: readonly string[];
}

const signersOption = () => publicKeyOption("keys that may have signed it, besides the home's own");

export const rollbackCommand = command({
  name: "rollback",
  description: "publish the content of a kept version again, as a new version",
  example: "govdata rollback 20261120T060000Z-3f9ac2d1",
  takes: (made) =>
    made
      .addOption(uploadOption())
      .argument("<version>", "a kept version (see `govdata status`), or `previous`")
      .addOption(allowOption("roll back even if these gates refuse", ["clock", "signature"]))
      .addOption(signersOption()),
  async run(context: CommandContext, version: string, flags: UploadFlags & AllowFlags) {
    const options = {
      allowsClock: flags.allow.includes("clock"),
      allowsUnsigned: flags.allow.includes("signature"),
      publicKeys: publicKeysOf(context.environment, flags),
    };
    const { runRollback } = await loadVersions();
    return publishing(context, flags, () => runRollback(context.settings, version, options, context.effects));
  },
  text: ({ version, sequence, replaces, asOf, uploaded }) =>
    `published ${version} (sequence ${sequence}): version ${replaces} again, as of ${asOf}\n${formatUploaded(uploaded)}`,
  exit: ({ uploaded }) => publishedExit(uploaded),
});

/** Problems printed; `verify` prints all. */
const PROBLEMS_SHOWN = 5;

function formatRepaired({ pointerWas, version, sequence, ...rest }: RepairOutcome): string {
  const { files, problems, unreadable } = rest;
  const was = pointerWas === "whole" ? "is intact; nothing to repair" : `was ${pointerWas} and was rewritten`;
  const lines = [
    `current.json ${was}: it names ${version} (sequence ${sequence})`,
    ...unreadable.map((version) => `skipped ${version}: its manifest cannot be trusted`),
    ...problems.slice(0, PROBLEMS_SHOWN).map(({ code, message }) => `${code} ${message}`),
    problems.length === 0
      ? `${version} is intact: ${files} files`
      : `${version} is damaged (${problems.length} problems, listed by \`govdata verify --deep\`); next: \`govdata publish\`, or \`govdata rollback VERSION\``,
  ];
  return `${lines.join("\n")}\n`;
}

export const repairCommand = command({
  name: "repair",
  description: "restore a lost, damaged or outdated current.json",
  details: "Sets it to the newest version and verifies that. Leaves a correct current.json unchanged.",
  example: "govdata repair",
  takes: (made) =>
    made
      .addOption(allowOption("repair even if these gates refuse", ["signature"]))
      .addOption(signersOption()),
  async run({ settings, effects, environment }: CommandContext, flags: AllowFlags) {
    const { runRepair } = await loadVersions();
    const allowsUnsigned = flags.allow.includes("signature");
    return runRepair(settings, { allowsUnsigned, publicKeys: publicKeysOf(environment, flags) }, effects);
  },
  text: formatRepaired,
  exit: ({ problems }) => (problems.length > 0 ? EXIT.failed : EXIT.done),
});

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
    const { runRedact } = await loadVersions();
    const whileReadersFollow = () => context.pause(READERS_FOLLOW_MS);
    const options = { isDryRun, whileReadersFollow, publicKeys };
    const redact = () => runRedact(context.settings, options, context.effects);
    return publishing(context, isDryRun ? {} : { to }, redact, "redact");
  },
  text: (result, _context, { dryRun = false }) =>
    `${formatRedacted(result, dryRun)}${formatUploaded(result.uploaded)}`,
  exit: ({ unredacted, uploaded }) => (unredacted.length > 0 ? EXIT.failed : publishedExit(uploaded)),
});
