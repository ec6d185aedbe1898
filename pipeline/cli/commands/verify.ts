import { type Command, Option } from "commander";
import { verifyPublished } from "../../run/verify.ts";
import { contextOf, describedCommand, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { parseWhole } from "../parse-options.ts";

type Problem = Awaited<ReturnType<typeof verifyPublished>>["problems"][number];

/** Most messages name their file themselves. */
function formatProblem({ path, code, message }: Problem): string {
  return message.includes(path) ? `${code} ${message}\n` : `${code} ${path}: ${message}\n`;
}

interface VerifyFlags {
  readonly deep?: boolean;
  readonly minSequence?: string;
  readonly publicKey?: string;
}

/** `govdata verify [version] --deep --min-sequence N --public-key K` */
export function verifyCommand(process: ProcessContext, exitWith: ExitWith): Command {
  return describedCommand("verify", "check a version: pointer, manifest, every file", "govdata verify --deep")
    .argument("[version]", "a kept version (default: the current one)")
    .option("--deep", "also rebuild every envelope and compare the index with the files byte for byte")
    .option("--min-sequence <n>", "refuse a version with a lower sequence")
    .addOption(
      new Option(
        "--public-key <keys>",
        "refuse a version that none of these keys (commas between) has signed",
      ).env("GOVDATA_PUBLIC_KEY"),
    )
    .action(async (version: string | undefined, flags: VerifyFlags, self: Command) => {
      const context = contextOf(self, process);
      const result = await verifyPublished(context.settings, {
        version,
        isDeep: flags.deep === true,
        publicKeys: flags.publicKey,
        sequenceMin:
          flags.minSequence === undefined
            ? undefined
            : parseWhole("--min-sequence", flags.minSequence, 1, 999_999_999),
      });
      const problems = result.problems.map(formatProblem);
      const name = result.version ?? version ?? "the current version";
      const verdict =
        problems.length === 0
          ? `${name} is whole: ${result.files} files, ${result.bytes} bytes\n`
          : `${name} is not whole: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}\n`;
      context.print(`${problems.join("")}${verdict}`, result);
      if (problems.length > 0) exitWith(EXIT.failed);
    });
}
