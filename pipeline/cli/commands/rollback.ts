import type { RepairOutcome } from "../../upkeep/versions.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { allowOption } from "../options/parse-options.ts";
import { type KeyFlags, publicKeyOption, publicKeysOf } from "../options/settings.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import { formatUploaded, publishedExit, publishing, type UploadFlags, uploadOption } from "./push.ts";

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
      version,
      allowsClock: flags.allow.includes("clock"),
      allowsUnsigned: flags.allow.includes("signature"),
      publicKeys: publicKeysOf(context.environment, flags),
    };
    const { runRollback } = await import("../../upkeep/versions.ts");
    return publishing(context, flags, () => runRollback(context.settings, options, context.effects));
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
    const { runRepair } = await import("../../upkeep/versions.ts");
    const allowsUnsigned = flags.allow.includes("signature");
    return runRepair(settings, { allowsUnsigned, publicKeys: publicKeysOf(environment, flags) }, effects);
  },
  text: formatRepaired,
  exit: ({ problems }) => (problems.length > 0 ? EXIT.failed : EXIT.done),
});
