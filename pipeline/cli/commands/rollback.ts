import { type Command, Option } from "commander";
import { runRollback } from "../../run/rollback.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";

/** `govdata rollback VERSION` */
export function rollbackCommand(process: ProcessContext): Command {
  return describedCommand(
    "rollback",
    "publish a kept version's content again, as a new version that every reader takes",
    "govdata rollback 20261120T060000Z-3f9ac2d1",
  )
    .argument("<version>", "a kept version (`govdata status` lists them), or `previous`")
    .addOption(
      new Option("--allow <gates...>", "go back although these gates refuse")
        .choices(["clock", "signature"])
        .default([]),
    )
    .addOption(
      new Option(
        "--public-key <keys>",
        "keys (commas between) that may have signed it, beside the home's own",
      ).env("GOVDATA_PUBLIC_KEY"),
    )
    .action(
      async (version: string, flags: { allow: readonly string[]; publicKey?: string }, self: Command) => {
        const context = contextOf(self, process);
        const allowsClock = flags.allow.includes("clock");
        const result = await runRollback(
          context.settings,
          {
            version,
            allowsClock,
            allowsUnsigned: flags.allow.includes("signature"),
            publicKeys: flags.publicKey,
          },
          context.effects,
        );
        context.print(
          `published ${result.version} (sequence ${result.sequence}): version ${result.replaces} again, as of ${result.asOf}\n`,
          result,
        );
      },
    );
}
