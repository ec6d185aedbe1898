import type { Command } from "commander";
import { runRollback } from "../../upkeep/rollback.ts";
import { withUpload } from "../../upkeep/transfer.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { addUploadOption, destinationOf, formatUploaded, type UploadFlags } from "../options/destination.ts";
import { allowOption, publicKeyOption } from "../options/parse-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

interface RollbackFlags extends UploadFlags {
  readonly allow: readonly string[];
  readonly publicKey?: string;
}

/** `govdata rollback VERSION --to ADDRESS` */
export function rollbackCommand(process: ProcessContext): Command {
  const command = describedCommand(
    "rollback",
    "publish a kept version's content again, as a new version that every reader takes",
    "govdata rollback 20261120T060000Z-3f9ac2d1",
  );
  return addUploadOption(command)
    .argument("<version>", "a kept version (`govdata status` lists them), or `previous`")
    .addOption(allowOption("go back although these gates refuse", ["clock", "signature"]))
    .addOption(publicKeyOption("keys (commas between) that may have signed it, beside the home's own"))
    .action(async (version: string, flags: RollbackFlags, self: Command) => {
      const context = contextOf(self, process);
      const { settings, effects } = context;
      const options = {
        version,
        allowsClock: flags.allow.includes("clock"),
        allowsUnsigned: flags.allow.includes("signature"),
        publicKeys: flags.publicKey,
      };
      const result = await withUpload(settings, destinationOf(flags, process), effects, () =>
        runRollback(settings, options, effects),
      );
      const said = `published ${result.version} (sequence ${result.sequence}): version ${result.replaces} again, as of ${result.asOf}\n`;
      context.print(`${said}${formatUploaded(result.uploaded)}`, result);
      if (result.uploaded?.kind === "failed") process.exitWith(EXIT.partial);
    });
}
