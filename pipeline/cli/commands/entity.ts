import type { Command } from "commander";
import { readRegistry } from "../../home/home.ts";
import { addRegistryEntity, type OptOutResult, setRegistryOptOut } from "../../upkeep/edit-registry.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { formatTable } from "../terminal/table.ts";

type Entity = ReturnType<typeof readRegistry>["entities"][number];

function formatEntities(entities: readonly Entity[], columns: number | undefined): string {
  return formatTable<Entity>(
    [
      { heading: "entity", of: (entity) => entity.entityId },
      { heading: "label", of: ({ label }) => label },
      { heading: "wallets", of: ({ wallets }) => String(wallets.length), align: "right", fit: "drop" },
      { heading: "public", of: ({ isOptedOut }) => (isOptedOut ? "opted out" : "yes") },
    ],
    entities,
    columns,
  );
}

function formatOptOut({ entity, isChanged, isLive }: OptOutResult): string {
  const name = `${entity.entityId} (${entity.label})`;
  const state = entity.isOptedOut ? "opted out" : "not opted out";
  if (!isChanged) return `${name} was ${state} already; nothing was written\n`;
  const proxies = isLive
    ? "a running proxy follows within a second"
    : "the list of live opt-outs cannot be read, so proxies name no entity at all";
  const versions = entity.isOptedOut
    ? "published versions name it until `govdata redact`"
    : "versions that were redacted stay as they are";
  return `${name} is ${state} from the next publish on; ${proxies}; ${versions}\n`;
}

/** `govdata entity add|list|opt-out` */
export function entityCommand(process: ProcessContext): Command {
  const add = describedCommand(
    "add",
    "add an organisation and its wallets to the registry",
    'govdata entity add "Example Labs" 0x00000000000000000000000000000000000000aa',
  )
    .argument("<label>", "the name to publish")
    .argument("<wallet...>", "addresses, 0x and 40 hex digits each")
    .action((label: string, wallets: string[], _flags, self: Command) => {
      const context = contextOf(self, process);
      const entity = addRegistryEntity(context.settings, { label, wallets });
      context.print(`added ${entity.entityId} (${entity.label})\n`, entity);
    });
  const list = describedCommand(
    "list",
    "the entities of the registry",
    "govdata entity list --json | jq -r '.[].label'",
  ).action((_flags, self: Command) => {
    const context = contextOf(self, process);
    const { entities } = readRegistry(context.settings);
    context.print(formatEntities(entities, context.columns), entities);
  });
  const optOut = describedCommand(
    "opt-out",
    "name an entity nowhere any more: at once in answers, from the next publish on in files",
    "govdata entity opt-out ent_0123456789abcdefghijklmnop",
  )
    .argument("<entity-id>")
    .option("--undo", "name it again")
    .action((entityId: string, flags: { undo?: boolean }, self: Command) => {
      const context = contextOf(self, process);
      const result = setRegistryOptOut(context.settings, entityId, flags.undo !== true, process.nowMs());
      context.print(formatOptOut(result), result);
    });
  const entity = describedCommand(
    "entity",
    "list and edit the labelled owners of wallets",
    'govdata entity add "Example Labs" 0x00000000000000000000000000000000000000aa',
  );
  for (const each of [list, add, optOut]) entity.addCommand(each);
  return entity;
}
