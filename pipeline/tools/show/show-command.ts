import { Option } from "commander";
import { LISTING_ROWS_PER_CUT } from "../../../snapshots/format/limits.ts";
import { CATEGORIES, WEIGHT_TIERS, type WeightTier } from "../../../snapshots/format/value-sets.ts";
import { type CommandContext, command, commandGroup } from "../../cli/options/command-context.ts";
import { parseDay, parseWhole } from "../../cli/options/parse-options.ts";

const loadShow = () => import("./show.ts");
const loadFormats = () => import("./format-shown.ts");

const daosCommand = command({
  name: "daos",
  description: "print the ranking",
  example: "govdata show daos --category defi",
  takes: (made) => made.addOption(new Option("--category <name>", "only one category").choices(CATEGORIES)),
  run: async ({ settings }: CommandContext, { category = "all" }: { category?: string }) =>
    (await loadShow()).showEnvelope(settings, "daos", category),
  text: async (shown, context) => (await loadFormats()).formatDaos(shown, context),
  json: ({ data }) => data,
});

const daoCommand = command({
  name: "dao",
  description: "print the details of a DAO",
  example: "govdata show dao aave.eth",
  takes: (made) => made.argument("<space>"),
  run: async ({ settings }: CommandContext, spaceId: string) =>
    (await loadShow()).showEnvelope(settings, "dao", spaceId),
  text: async (shown) => (await loadFormats()).formatDao(shown),
  json: ({ data }) => data,
});

const riskCommand = command({
  name: "risk",
  description: "print the risk assessment of a DAO",
  example: "govdata show risk aave.eth",
  takes: (made) => made.argument("<space>"),
  run: async ({ settings }: CommandContext, spaceId: string) =>
    (await loadShow()).showEnvelope(settings, "risk", spaceId),
  text: async (shown) => (await loadFormats()).formatRisk(shown),
  json: ({ data }) => data,
});

interface DelegateFlags {
  readonly date?: string;
  readonly tier?: WeightTier;
  readonly limit: string;
}

const delegatesCommand = command({
  name: "delegates",
  description: "print the delegates of a DAO, by power",
  example: "govdata show delegates aave.eth --tier T1 --limit 5",
  takes: (made) =>
    made
      .argument("<space>")
      .option("--date <day>", "the listing of this day (YYYY-MM-DD)")
      .addOption(new Option("--tier <tier>", "only one weight tier").choices(WEIGHT_TIERS))
      .option("--limit <n>", "number of rows", "20"),
  async run({ settings }: CommandContext, spaceId: string, flags: DelegateFlags) {
    const date = flags.date === undefined ? undefined : parseDay("--date", flags.date);
    const limit = parseWhole("--limit", flags.limit, 1, LISTING_ROWS_PER_CUT);
    return (await loadShow()).showDelegates(settings, spaceId, date, flags.tier, limit);
  },
  text: async (shown, context) => (await loadFormats()).formatDelegates(shown, context),
});

const dgiCommand = command({
  name: "dgi",
  description: "print the Decentralized Governance Index",
  details:
    "With --moves it prints how much of each move came from its members' scores, from their weights, and from new or lost members.",
  example: "govdata show dgi --moves month",
  takes: (made) =>
    made.addOption(
      new Option("--moves <step>", "what moved the index, by day or by month").choices(["day", "month"]),
    ),
  async run({ settings }: CommandContext, { moves: unit }: { moves?: "day" | "month" }) {
    const { runIndexMoves } = await import("../index-moves.ts");
    const moves = await runIndexMoves(settings, unit ?? "day");
    if (unit !== undefined) return { moves };
    return { moves, shown: await (await loadShow()).showEnvelope(settings, "dgi", "current") };
  },
  async text({ shown, moves }) {
    const { formatDgi, formatMoves } = await loadFormats();
    return shown === undefined ? formatMoves(moves) : formatDgi(shown, moves);
  },
  json: ({ shown, moves }) => shown?.data ?? moves,
});

const entityCommand = command({
  name: "entity",
  description: "print an entity by id or wallet",
  example: "govdata show entity 0x00000000000000000000000000000000000000aa",
  takes: (made) => made.argument("<id-or-wallet>"),
  run: async ({ settings }: CommandContext, idOrWallet: string) =>
    (await loadShow()).showEntity(settings, idOrWallet),
  text: async (shown) => (await loadFormats()).formatEntity(shown),
});

export const showCommand = commandGroup(
  {
    name: "show",
    description: "print documents of the current version",
    example: "govdata show daos --category defi",
  },
  [daosCommand, daoCommand, riskCommand, delegatesCommand, dgiCommand, entityCommand],
);

export const badgeCommand = command({
  name: "badge",
  description: "print the score of a DAO as a small SVG",
  example: "govdata badge SPACE > badge.svg\n  govdata badge SPACE --shields > badge.json",
  takes: (made) =>
    made.argument("<space>").option("--shields", "print JSON for an endpoint badge of shields.io"),
  run: async ({ settings }: CommandContext, spaceId: string, _flags: { shields?: boolean }) =>
    (await loadShow()).runBadge(settings, spaceId),
  text: ({ shields, svg }, _context, _spaceId, flags) =>
    flags.shields === true ? `${JSON.stringify(shields)}\n` : svg,
  json: ({ shields }) => shields,
});
