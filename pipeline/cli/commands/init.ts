import type { InitResult } from "../../upkeep/init.ts";
import { type CommandContext, command } from "../options/command-context.ts";

/** With `--quiet` prints only problems of the home. */
function formatInit(made: InitResult, { settings, isQuiet }: CommandContext): string {
  const open = made.isOpenToOthers ? `other users can enter the home: chmod 700 ${made.home}\n` : "";
  if (isQuiet) return open;
  const { registryPath, snapshotsDirectory } = settings;
  const isIgnored = made.registryWasThere && registryPath !== undefined && registryPath !== made.registry;
  const kept = isIgnored
    ? "kept the existing registry, not the one of --registry:"
    : "kept the existing registry";
  return `home ${made.home}
${made.registryWasThere ? kept : "created a registry to edit:"} ${made.registry}
${open}next: govdata run --source archive --from FOLDER
      fetches the DAOs of the registry and publishes a version into ${snapshotsDirectory}
`;
}

export const initCommand = command({
  name: "init",
  description: "create the home, with a registry to edit",
  details: "Also creates an empty list of live opt-outs.",
  example: "govdata init --home /var/lib/govdata",
  run: async ({ settings }: CommandContext) => (await import("../../upkeep/init.ts")).initHome(settings),
  text: formatInit,
});
