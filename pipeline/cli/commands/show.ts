import { type Command, Option } from "commander";
import { type DelegateCut, showDelegates, showDocument, showEntity } from "../../run/show.ts";
import { CATEGORIES, DELEGATE_LIMIT_MAX, TIERS } from "../../run/words.ts";
import { type CommandContext, contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import {
  formatDao,
  formatDaos,
  formatDelegates,
  formatDgi,
  formatEntity,
  formatRisk,
} from "../format-shown.ts";
import { parseDay, parseWhole } from "../parse-options.ts";

type Show<Flags> = (context: CommandContext, argument: string, flags: Flags) => Promise<void>;

function child<Flags>(
  process: ProcessContext,
  name: string,
  [description, example]: readonly [description: string, example: string],
  show: Show<Flags>,
): Command {
  return describedCommand(name, description, `govdata show ${example}`).action(
    async (...given: unknown[]) => {
      const self = given.at(-1) as Command;
      const argument = typeof given[0] === "string" ? given[0] : "";
      await show(contextOf(self, process), argument, self.opts() as Flags);
    },
  );
}

interface DelegateFlags {
  readonly date?: string;
  readonly tier?: DelegateCut["tier"];
  readonly limit: string;
}

/** `govdata show daos|dao|risk|delegates|dgi|entity` */
export function showCommand(process: ProcessContext): Command {
  const daos = child<{ category?: string }>(
    process,
    "daos",
    ["the ranking", "daos --category defi"],
    async (context, _argument, flags) => {
      const data = await showDocument(context.settings, "daos", flags.category ?? "all");
      context.print(formatDaos(data, context.columns), data);
    },
  ).addOption(new Option("--category <name>", "only one category").choices([...CATEGORIES]));
  const dao = child(process, "dao", ["one DAO in detail", "dao aave.eth"], async (context, spaceId) => {
    const data = await showDocument(context.settings, "dao", spaceId);
    context.print(formatDao(data), data);
  }).argument("<space>");
  const risk = child(
    process,
    "risk",
    ["the risk assessment of one DAO", "risk aave.eth"],
    async (context, spaceId) => {
      const data = await showDocument(context.settings, "risk", spaceId);
      context.print(formatRisk(data), data);
    },
  ).argument("<space>");
  const delegates = child<DelegateFlags>(
    process,
    "delegates",
    ["delegates by power", "delegates aave.eth --tier T1 --limit 5"],
    async (context, spaceId, flags) => {
      const data = await showDelegates(context.settings, spaceId, {
        date: flags.date === undefined ? undefined : parseDay("--date", flags.date),
        tier: flags.tier,
        limit: parseWhole("--limit", flags.limit, 1, DELEGATE_LIMIT_MAX),
      });
      context.print(formatDelegates(data, context.columns), data);
    },
  )
    .argument("<space>")
    .option("--date <day>", "the listing of a day (YYYY-MM-DD)")
    .addOption(new Option("--tier <tier>", "only one weight tier").choices([...TIERS]))
    .option("--limit <n>", "rows", "20");
  const dgi = child(process, "dgi", ["the Decentralized Governance Index", "dgi --json"], async (context) => {
    const data = await showDocument(context.settings, "dgi", "current");
    context.print(formatDgi(data), data);
  });
  const entity = child(
    process,
    "entity",
    ["an entity by id or wallet", "entity 0x00000000000000000000000000000000000000aa"],
    async (context, idOrWallet) => {
      const data = await showEntity(context.settings, idOrWallet);
      context.print(formatEntity(data), data);
    },
  ).argument("<id-or-wallet>");
  const show = describedCommand(
    "show",
    "print documents of the current version",
    "govdata show daos --category defi",
  );
  for (const each of [daos, dao, risk, delegates, dgi, entity]) show.addCommand(each);
  return show;
}
