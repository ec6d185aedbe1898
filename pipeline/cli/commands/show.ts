import { type Command, Option } from "commander";
import {
  type DelegateCut,
  type Shown,
  type ShownDelegates,
  showDelegates,
  showDocument,
  showEntity,
} from "../../readers/show/show.ts";
import {
  type CommandContext,
  contextOf,
  describedCommand,
  type ProcessContext,
} from "../options/command-context.ts";
import { CATEGORIES, DELEGATE_LIMIT_MAX, parseDay, parseWhole, TIERS } from "../options/parse-options.ts";
import { type Column, formatTable } from "../terminal/table.ts";

const fixed = (value: number, decimals = 2): string => value.toFixed(decimals);

/** The ranking, a line per DAO. */
export function formatDaos(daos: Shown<"daos">, columns?: number): string {
  return formatTable(
    [
      { heading: "rank", of: (dao: Shown<"daos">[number]) => String(dao.rank), align: "right" },
      { heading: "space", of: (dao) => dao.space_id },
      { heading: "gvs", of: (dao) => fixed(dao.gvs), align: "right" },
      { heading: "hpr", of: (dao) => fixed(dao.components.hpr), align: "right" },
      { heading: "dei", of: (dao) => fixed(dao.components.dei), align: "right" },
      { heading: "pdi", of: (dao) => fixed(dao.components.pdi), align: "right" },
      { heading: "gpi", of: (dao) => fixed(dao.components.gpi), align: "right" },
      { heading: "24h", of: (dao) => fixed(dao.delta_24h), align: "right", fit: "drop" },
      { heading: "confidence", of: (dao) => dao.gvs_confidence, fit: "drop" },
    ],
    daos,
    columns,
  );
}

function pairs(lines: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join("");
}

/** One DAO: its scores with their words, its ranks, its strongest entities. */
export function formatDao(dao: Shown<"dao">): string {
  const { overall, category } = dao.rankings;
  const component = (key: keyof typeof dao.components): [string, string] => [
    key,
    `${fixed(dao.components[key].score)}  ${dao.components[key].label}`,
  ];
  const head = pairs([
    ["name", `${dao.name} (${dao.space_id})`],
    ["gvs", `${fixed(dao.gvs)}  confidence ${dao.gvs_confidence}`],
    component("hpr"),
    component("dei"),
    component("pdi"),
    component("gpi"),
    [
      "rank",
      `${overall.rank} of ${overall.total}, ${category.rank} of ${category.total} in ${category.category}`,
    ],
    ["complete", `${fixed(dao.data_completeness)} %`],
    [
      "last days",
      dao.history.gvs_30d
        .slice(-7)
        .map((value) => fixed(value))
        .join(" "),
    ],
    ["as of", dao.last_calculated],
  ]);
  if (dao.top_entities.length === 0) return head;
  const entities = formatTable(
    [
      { heading: "entity", of: (entity: (typeof dao.top_entities)[number]) => entity.label },
      { heading: "power %", of: (entity) => fixed(entity.voting_power_share_pct), align: "right" },
      { heading: "proposals", of: (entity) => String(entity.proposals_voted), align: "right" },
    ],
    dao.top_entities,
  );
  return `${head}\n${entities}`;
}

/** The risk of one DAO, factor by factor. */
export function formatRisk(risk: Shown<"risk">): string {
  return pairs([
    ["risk", `${fixed(risk.risk_score, 1)}  ${risk.risk_level}, ${risk.trend}`],
    ...Object.entries(risk.factors).map(([name, value]) => [name, String(value)] as const),
    ["as of", risk.assessed_at],
  ]);
}

type DelegateRow = ShownDelegates["delegates"][number];

/** A name is no key, and the ends of an address are not the address: a program that reads the table gets it. */
const ADDRESS: Column<DelegateRow> = { heading: "address", of: (row) => row.address };

/** Delegates by power; where nobody looks at it on a terminal, each with its whole address. */
export function formatDelegates(listing: ShownDelegates, columns?: number): string {
  const table = formatTable<DelegateRow>(
    [
      { heading: "rank", of: (row) => String(row.rank), align: "right" },
      ...(columns === undefined ? [ADDRESS] : []),
      { heading: "delegate", of: (row) => row.display_name },
      { heading: "votes", of: (row) => fixed(row.votes_human), align: "right" },
      { heading: "share %", of: (row) => fixed(row.votes_share_pct), align: "right" },
      { heading: "delegators", of: (row) => String(row.delegators_count), align: "right", fit: "drop" },
      { heading: "tier", of: (row) => row.weight_tier, fit: "drop" },
    ],
    listing.delegates,
    columns,
  );
  return `${listing.dao}: ${listing.total_delegates} delegates, data of ${listing.fetched_at}\n\n${table}`;
}

/** The index and its components. */
export function formatDgi(dgi: Shown<"dgi">): string {
  return pairs([
    ["dgi", `${fixed(dgi.composite)}  over ${dgi.dao_count} DAOs`],
    ...Object.entries(dgi.components).map(([key, value]) => [key, fixed(value)] as const),
    ["as of", dgi.calculated_at],
  ]);
}

/** An entity, its wallets and where it takes part. */
export function formatEntity(entity: Shown<"entity">): string {
  const head = pairs([
    ["entity", `${entity.label} (${entity.entity_id})`],
    ...entity.wallets.map((wallet) => ["wallet", wallet] as const),
  ]);
  if (entity.dao_participations.length === 0) return head;
  const table = formatTable(
    [
      { heading: "space", of: (row: (typeof entity.dao_participations)[number]) => row.space_id },
      {
        heading: "power %",
        of: (row) => (row.voting_power_share_pct === null ? "unknown" : fixed(row.voting_power_share_pct)),
        align: "right",
      },
      { heading: "proposals", of: (row) => String(row.proposals_voted), align: "right" },
      { heading: "delegate rank", of: (row) => String(row.delegate_rank ?? ""), align: "right" },
    ],
    entity.dao_participations,
  );
  return `${head}\n${table}`;
}

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
