import type { Command } from "commander";
import { runSignKey } from "../../home/signing-key.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";

/** `govdata sign-key --rotate` */
export function signKeyCommand(process: ProcessContext): Command {
  return describedCommand(
    "sign-key",
    "print the public key that versions are signed for, made where there is none",
    'GOVDATA_PUBLIC_KEY="$(govdata sign-key)" govdata verify',
  )
    .option("--rotate", "make a new key; readers must be told before the next publish")
    .action((flags: { rotate?: boolean }, self: Command) => {
      const context = contextOf(self, process);
      const { publicKey, isNew } = runSignKey(context.settings, { isRotation: flags.rotate === true });
      if (isNew) {
        context.terminal.err("made a key; from the next publish on, versions are signed with it\n");
      }
      context.print(`${publicKey}\n`, { publicKey, isNew });
    });
}
