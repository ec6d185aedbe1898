import type { Command } from "commander";

/** Adds a command below another one, with an example under its help. */
export function describedCommand(
  parent: Command,
  usage: string,
  description: string,
  example: string,
): Command {
  return parent
    .command(usage)
    .description(description)
    .addHelpText("after", `\nExample:\n  govdata-proxy ${example}`);
}
