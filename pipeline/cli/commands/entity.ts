import { Command } from "commander";
import {
  addRegistryEntity,
  listRegistry,
  type OptOutResult,
  setRegistryOptOut,
} from "../../run/edit-registry.ts";
import { contextOf, type ProcessContext } from "../command-context.ts";
import { formatTable } from "../table.ts";

type Entity = ReturnType<typeof listRegistry>["entities"][number];

function formatEntities(entities: readonly Entity[]): string {
  return formatTable(
    [
      { heading: "entity", of: (entity: Entity) => entity.entityId },
      { heading: "label", of: ({ label }) => label },
      { heading: "wallets", of: ({ wallets }) => String(wallets.length), align: "right" },
      { heading: "public", of: ({ isOptedOut }) => (isOptedOut ? "opted out" : "yes") },
    ],
    entities,
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
  const add = new Command("add")
    .description("add an organisation and its wallets to the registry")
    .argument("<label>", "the name to publish")
    .argument("<wallet...>", "addresses, 0x and 40 hex digits each")
    .action((label: string, wallets: string[], _flags, self: Command) => {
      const context = contextOf(self, process);
      const entity = addRegistryEntity(context.settings, { label, wallets });
      context.print(`added ${entity.entityId} (${entity.label})\n`, entity);
    });
  const list = new Command("list")
    .description("the entities of the registry")
    .action((_flags, self: Command) => {
      const context = contextOf(self, process);
      const { entities } = listRegistry(context.settings);
      context.print(formatEntities(entities), entities);
    });
  const optOut = new Command("opt-out")
    .description("name an entity nowhere any more: at once in answers, from the next publish on in files")
    .argument("<entity-id>")
    .option("--undo", "name it again")
    .action((entityId: string, flags: { undo?: boolean }, self: Command) => {
      const context = contextOf(self, process);
      const result = setRegistryOptOut(context.settings, entityId, flags.undo !== true, process.nowMs());
      context.print(formatOptOut(result), result);
    });
  const entity = new Command("entity")
    .description("list and edit the labelled owners of wallets")
    .addHelpText(
      "after",
      '\nExample:\n  govdata entity add "Example Labs" 0x00000000000000000000000000000000000000aa',
    );
  for (const each of [list, add, optOut]) entity.addCommand(each);
  return entity;
}
