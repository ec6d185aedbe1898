import { Command, Option } from "commander";
import { type DelegateCut, showDelegates, showDocument, showEntity } from "../../run/show.ts";
import { CATEGORIES, DELEGATE_LIMIT_MAX, TIERS } from "../../run/words.ts";
import { type CommandContext, contextOf, type ProcessContext } from "../command-context.ts";
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
  description: string,
  show: Show<Flags>,
): Command {
  return new Command(name).description(description).action(async (...given: unknown[]) => {
    const self = given.at(-1) as Command;
    const argument = typeof given[0] === "string" ? given[0] : "";
    await show(contextOf(self, process), argument, self.opts() as Flags);
  });
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
    "the ranking",
    async (context, _argument, flags) => {
      const data = await showDocument(context.settings, "daos", flags.category ?? "all");
      context.print(formatDaos(data), data);
    },
  ).addOption(new Option("--category <name>", "only one category").choices([...CATEGORIES]));
  const dao = child(process, "dao", "one DAO in detail", async (context, spaceId) => {
    const data = await showDocument(context.settings, "dao", spaceId);
    context.print(formatDao(data), data);
  }).argument("<space>");
  const risk = child(process, "risk", "the risk assessment of one DAO", async (context, spaceId) => {
    const data = await showDocument(context.settings, "risk", spaceId);
    context.print(formatRisk(data), data);
  }).argument("<space>");
  const delegates = child<DelegateFlags>(
    process,
    "delegates",
    "delegates by power",
    async (context, spaceId, flags) => {
      const data = await showDelegates(context.settings, spaceId, {
        date: flags.date === undefined ? undefined : parseDay("--date", flags.date),
        tier: flags.tier,
        limit: parseWhole("--limit", flags.limit, 1, DELEGATE_LIMIT_MAX),
      });
      context.print(formatDelegates(data), data);
    },
  )
    .argument("<space>")
    .option("--date <day>", "the listing of a day (YYYY-MM-DD)")
    .addOption(new Option("--tier <tier>", "only one weight tier").choices([...TIERS]))
    .option("--limit <n>", "rows", "20");
  const dgi = child(process, "dgi", "the Decentralized Governance Index", async (context) => {
    const data = await showDocument(context.settings, "dgi", "current");
    context.print(formatDgi(data), data);
  });
  const entity = child(process, "entity", "an entity by id or wallet", async (context, idOrWallet) => {
    const data = await showEntity(context.settings, idOrWallet);
    context.print(formatEntity(data), data);
  }).argument("<id-or-wallet>");
  const show = new Command("show")
    .description("print documents of the current version")
    .addHelpText("after", "\nExample:\n  govdata show daos --category defi");
  for (const each of [daos, dao, risk, delegates, dgi, entity]) show.addCommand(each);
  return show;
}
