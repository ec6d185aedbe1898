import type { Command } from "commander";
import type { Settings } from "../../home/settings.ts";
import { type InitResult, initHome } from "../../upkeep/init.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";

function formatInit(made: InitResult, { registryPath, snapshotsDirectory }: Settings): string {
  const isIgnored = made.registryWasThere && registryPath !== undefined && registryPath !== made.registry;
  const kept = isIgnored ? "kept the registry that was there, not the one named:" : "kept the registry";
  return [
    `home ${made.home}`,
    `${made.registryWasThere ? kept : "wrote a registry to edit:"} ${made.registry}`,
    ...(made.isOpenToOthers ? [`others may enter the home: chmod 700 ${made.home}`] : []),
    "next: govdata run --source archive --from FOLDER",
    `      fetches the DAOs of the registry and publishes a version into ${snapshotsDirectory}`,
    "",
  ].join("\n");
}

/** `govdata init` */
export function initCommand(process: ProcessContext): Command {
  return describedCommand(
    "init",
    "make the home and a registry to edit",
    "govdata init --home /var/lib/govdata",
  ).action((_options, command: Command) => {
    const context = contextOf(command, process);
    const result = initHome(context.settings);
    context.print(formatInit(result, context.settings), result);
  });
}
