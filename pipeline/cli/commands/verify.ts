import { formatCount } from "../../../snapshots/base/command-line/table.ts";
import { printableLine } from "../../../snapshots/base/plain-text.ts";
import type { verifyPublished } from "../../upkeep/versions.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { parseWhole } from "../options/parse-options.ts";
import { type KeyFlags, publicKeyOption, publicKeysOf } from "../options/settings.ts";
import { EXIT } from "../terminal/exit-codes.ts";

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
    const { verifyPublished } = await import("../../upkeep/versions.ts");
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
