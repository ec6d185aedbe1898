import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { versionOption } from "../tool-options.ts";

/** `govdata compare A B [C …] --version V` */
export const compareCommand = command({
  name: "compare",
  description: "compare DAOs: which is ahead, and whether the data can tell",
  details:
    "Puts components, indicators and risk side by side, each with its interval, and explains what leaves the order unclear.",
  example:
    "govdata compare aave.eth uniswap\n  govdata compare aave.eth uniswap --json | jq '.pairs[].sentence'",
  takes: (made) =>
    made
      .argument("<space>")
      .argument("<other>")
      .argument("[more...]", "more DAOs; each is compared with each other")
      .addOption(versionOption()),
  run: async (
    { settings }: CommandContext,
    space: string,
    other: string,
    more: readonly string[],
    { version }: { readonly version?: string },
  ) => {
    const { runCompare } = await import("./compare-daos.ts");
    return runCompare(settings, { spaceIds: [space, other, ...more], version });
  },
  text: async (result) => (await import("./format-comparison.ts")).formatComparison(result),
});
