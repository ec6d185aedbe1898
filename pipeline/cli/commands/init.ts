import type { Command } from "commander";
import { initHome } from "../../run/home.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";

/** `govdata init` */
export function initCommand(process: ProcessContext): Command {
  return describedCommand(
    "init",
    "make the home and a registry to edit",
    "govdata init --home /var/lib/govdata",
  ).action((_options, command: Command) => {
    const context = contextOf(command, process);
    const result = initHome(context.settings);
    const registry = result.registryWasThere ? "kept the registry" : "wrote a registry to edit:";
    context.print(`home ${result.home}\n${registry} ${result.registry}\n`, result);
  });
}
