import { type InitResult, initHome } from "../../upkeep/init.ts";
import { type CommandContext, command } from "../options/command-context.ts";

function formatInit(made: InitResult, { settings }: CommandContext): string {
  const { registryPath, snapshotsDirectory } = settings;
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
export const initCommand = command({
  name: "init",
  description: "create the home, with a registry to edit",
  details: "Also creates an empty list of live opt-outs.",
  example: "govdata init --home /var/lib/govdata",
  run: ({ settings }: CommandContext) => initHome(settings),
  text: formatInit,
});
