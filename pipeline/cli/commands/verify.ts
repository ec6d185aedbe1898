import { type Command, Option } from "commander";
import { verifyPublished } from "../../run/verify.ts";
import { contextOf, describedCommand, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { formatVerification } from "../format-verification.ts";
import { parseWhole } from "../parse-options.ts";

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
      const name = result.version ?? version ?? "the current version";
      context.print(formatVerification(result, name), result);
      if (result.problems.length > 0) exitWith(EXIT.failed);
    });
}
