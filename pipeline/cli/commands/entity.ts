import { formatTable, right } from "../../../snapshots/base/command-line/table.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import type { OptOutResult } from "../../upkeep/edit-registry.ts";
import { type CommandContext, command, commandGroup } from "../options/command-context.ts";

function formatOptOut({ entity, isChanged, isLive }: OptOutResult): string {
  const name = `${entity.entityId} (${entity.label})`;
  const state = entity.isOptedOut ? "opted out" : "not opted out";
  if (!isChanged) return `${name} is already ${state}; nothing was changed\n`;
  const proxies = isLive
    ? "a running proxy follows within a second"
    : "the list of live opt-outs is unreadable, so proxies name no entity at all";
  const versions = entity.isOptedOut
    ? "published versions name it until `govdata redact`"
    : "redacted versions stay unchanged";
  return `${name} is ${state} from the next publish on; ${proxies}; ${versions}\n`;
}

const ADD_EXAMPLE = 'govdata entity add "Example Labs" 0x00000000000000000000000000000000000000aa';

const addCommand = command({
  name: "add",
  description: "add an organisation and its wallets to the registry",
  example: ADD_EXAMPLE,
  takes: (made) =>
    made
      .argument("<label>", "the published name")
      .argument("<wallet...>", "addresses (0x and 40 hex digits)"),
  run: async ({ settings }: CommandContext, label: string, wallets: string[]) =>
    (await import("../../upkeep/edit-registry.ts")).addRegistryEntity(settings, { label, wallets }),
  text: ({ entityId, label }) => `added ${entityId} (${label})\n`,
});

const listCommand = command({
  name: "list",
  description: "list the entities of the registry",
  example: "govdata entity list --json | jq -r '.[].label'",
  run: async ({ settings }: CommandContext) =>
    (await import("../../home/read-registry.ts")).readRegistry(settings).entities,
  text: (entities, { columns }) =>
    formatTable(
      entities,
      [
        { heading: "entity", cell: (entity) => entity.entityId },
        { heading: "label", cell: ({ label }) => label },
        right("wallets", ({ wallets }) => String(wallets.length), "drop"),
        { heading: "public", cell: ({ isOptedOut }) => (isOptedOut ? "opted out" : "yes") },
      ],
      columns,
    ),
});

const optOutCommand = command({
  name: "opt-out",
  description: "remove an entity from all answers at once and from files at the next publish",
  details: "A proxy obeys within a second. Names in delegate listings disappear with the next publish.",
  example: "govdata entity opt-out ent_0123456789abcdefghijklmnop",
  takes: (made) => made.argument("<entity-id>").option("--undo", "undo the opt-out"),
  async run({ settings, nowMs }: CommandContext, entityId: string, flags: { undo?: boolean }) {
    const { setRegistryOptOut } = await import("../../upkeep/edit-registry.ts");
    return setRegistryOptOut(settings, entityId, flags.undo !== true, nowMs());
  },
  text: formatOptOut,
});

export const entityCommand = commandGroup(
  { name: "entity", description: "list and edit the labelled owners of wallets", example: ADD_EXAMPLE },
  [listCommand, addCommand, optOutCommand],
);

export const correctCommand = command({
  name: "correct",
  description: "record an error in published numbers",
  details: "Appends to `corrections` in the registry, dated today. The next version and the report list it.",
  example:
    'govdata correct "Votes of March were counted twice." "They are counted once." --in 20260401T010000Z-9dab89c3',
  takes: (made) =>
    made
      .argument("<wrong>", "what was wrong, as a sentence")
      .argument("<changed>", "what was changed")
      .option("--in <version...>", "the versions that have the error"),
  async run({ settings, nowMs }: CommandContext, wrong: string, changed: string, flags: { in?: string[] }) {
    const { addRegistryCorrection } = await import("../../upkeep/edit-registry.ts");
    const versions = flags.in && { versions: flags.in };
    return addRegistryCorrection(settings, { date: dayOf(nowMs()), wrong, changed, ...versions });
  },
  text: ({ date }) => `recorded as of ${date}; the next publish lists it\n`,
});
