import { type Column, formatTable, pairs, right, wrap } from "../../../snapshots/base/command-line/table.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { COMPONENT_KEYS, type Confidence, TREND_WORDS } from "../../../snapshots/format/value-sets.ts";
import { concentrationTexts } from "../concentration-texts.ts";
import { type IndexMove, sumOfMoves } from "../index-moves.ts";
import { formatChange, inBrackets } from "../spell.ts";
import type { Shown, ShownEnvelope } from "./show.ts";

function fixed(value: number, decimals = 2): string {
  return value.toFixed(decimals);
}

const percent = (share: number | undefined): string => (share === undefined ? "-" : fixed(100 * share, 0));

/** A range in brackets after a number; empty if the range is not published. */
function between(ends: readonly [number, number] | undefined, decimals = 2): string {
  return ends === undefined ? "" : ` ${inBrackets(...ends, decimals)}`;
}

export function formatDaos(
  { data, meta }: ShownEnvelope<"daos">,
  { columns }: { readonly columns: number | undefined },
): string {
  type Row = Shown<"daos">[number];
  const known = meta.by_space_id;
  const isKnown = data.some(({ space_id }) => known?.[space_id] !== undefined);
  const ranks: Column<Row> = right("ranks", ({ space_id }) => known?.[space_id]?.rank_range.join("-") ?? "-");
  const range: Column<Row> = right(
    "between",
    ({ space_id }) => known?.[space_id]?.interval.gvs.map((end) => fixed(end)).join("-") ?? "-",
  );
  return formatTable(
    data,
    [
      right("rank", (dao) => String(dao.rank)),
      ...(isKnown ? [ranks] : []),
      { heading: "space", cell: (dao) => dao.space_id },
      right("gvs", (dao) => fixed(dao.gvs)),
      ...(isKnown ? [range] : []),
      ...COMPONENT_KEYS.map((key) => right(key, (dao: Row) => fixed(dao.components[key]))),
      right("24h", (dao) => fixed(dao.delta_24h), "drop"),
      right("known %", ({ space_id }) => percent(known?.[space_id]?.known_share), "drop"),
    ],
    columns,
  );
}

export function formatDao({ data: dao, meta }: ShownEnvelope<"dao">): string {
  const { overall, category } = dao.rankings;
  const range = meta.rank_range === undefined ? "" : ` [${meta.rank_range.join("-")}]`;
  const ranks = `${overall.rank}${range} of ${overall.total}, ${category.rank} of ${category.total} in ${category.category}`;
  const lastDays = dao.history.gvs_30d.slice(-7).map((value) => fixed(value));
  const header = pairs([
    ["name", `${dao.name} (${dao.space_id})`],
    ["gvs", `${fixed(dao.gvs)}${between(meta.interval?.gvs)}  ${PROPOSALS[dao.gvs_confidence]} proposals`],
    ...COMPONENT_KEYS.map((key) => {
      const { score, label } = dao.components[key];
      return [key, `${fixed(score)}${between(meta.interval?.[key])}  ${label}`] as const;
    }),
    ["rank", ranks],
    ["complete", `${fixed(dao.data_completeness)} %`],
    ["last days", lastDays.join(" ")],
    ["as of", dao.last_calculated],
  ]);
  if (dao.top_entities.length === 0) return header;
  const entities = formatTable(dao.top_entities, [
    { heading: "entity", cell: ({ label }) => label },
    right("power %", (entity) => fixed(entity.voting_power_share_pct)),
    right("voted on", (entity) => `${entity.proposals_voted} of ${entity.proposals_known} known`),
    right("unknown", (entity) => String(entity.proposals_unknown)),
  ]);
  return `${header}\n${entities}`;
}

/** How many proposals count, by what the API calls confidence: it says nothing of how certain a score is. */
const PROPOSALS: Readonly<Record<Confidence, string>> = { high: "20 or more", low: "under 20" };

export function formatRisk({ data: risk, meta }: ShownEnvelope<"risk">): string {
  return pairs([
    [
      "risk",
      `${fixed(risk.risk_score, 1)}${between(meta.interval?.risk, 1)}  ${risk.risk_level}, ${TREND_WORDS[risk.trend]} over 30 days`,
    ],
    ...Object.entries(risk.factors).map(([name, value]) => [name, String(value)] as const),
    ...concentrationTexts(meta.concentration).map(({ name, value }) => [name, value] as const),
    ["as of", risk.assessed_at],
  ]);
}

/** Delegates by power, with whole addresses if stdout is not a terminal, as names are not unique. */
export function formatDelegates(
  listing: DelegateListing,
  { columns }: { readonly columns: number | undefined },
): string {
  type Row = DelegateListing["delegates"][number];
  const table = formatTable(
    listing.delegates,
    [
      right("rank", ({ rank }) => String(rank)),
      ...(columns === undefined ? [{ heading: "address", cell: ({ address }: Row) => address }] : []),
      { heading: "delegate", cell: (row) => row.display_name },
      right("votes", (row) => fixed(row.votes_human)),
      right("share %", (row) => fixed(row.votes_share_pct)),
      right("delegators", (row) => String(row.delegators_count), "drop"),
      { heading: "tier", cell: (row) => row.weight_tier, fit: "drop" },
    ],
    columns,
  );
  return `${listing.dao}: ${listing.total_delegates} delegates, fetched ${listing.fetched_at}\n\n${table}`;
}

/** Days summed up if no moves are requested. */
const DAYS_SUMMED = 30;

export function formatDgi(
  dgi: Shown<"dgi">,
  interval: ShownEnvelope<"dgi">["meta"]["interval"],
  moves: readonly IndexMove[],
): string {
  const lately = sumOfMoves(moves.slice(-DAYS_SUMMED));
  const document = pairs([
    ["dgi", `${dgi.composite.toFixed(2)}${between(interval?.composite)}  over ${dgi.dao_count} DAOs`],
    ...COMPONENT_KEYS.map(
      (key) => [key, `${dgi.components[key].toFixed(2)}${between(interval?.[key])}`] as const,
    ),
    ["as of", dgi.calculated_at],
  ]);
  if (lately === undefined) return document;
  const { from, to, before, after, scores, weights, members } = lately;
  const moved = `Moved by ${formatChange(after - before)} from ${from} to ${to}: ${formatChange(scores)} by scores of its members, ${formatChange(weights)} by their weights, ${formatChange(members)} by new or lost members.`;
  return `${document}\n${wrap(moved)}`;
}

export function formatMoves(moves: readonly IndexMove[]): string {
  return formatTable(moves, [
    { heading: "from", cell: ({ from }) => from },
    { heading: "to", cell: ({ to }) => to },
    right("dgi", ({ after }) => after.toFixed(2)),
    right("move", ({ before, after }) => formatChange(after - before)),
    right("scores", ({ scores }) => formatChange(scores)),
    right("weights", ({ weights }) => formatChange(weights)),
    right("members", ({ members }) => formatChange(members)),
    right("rounding", ({ rounding }) => formatChange(rounding)),
  ]);
}

export function formatEntity(entity: Shown<"entity">): string {
  const header = pairs([
    ["entity", `${entity.label} (${entity.entity_id})`],
    ...entity.wallets.map((wallet) => ["wallet", wallet] as const),
  ]);
  if (entity.dao_participations.length === 0) return header;
  const power = (pct: number | null): string => (pct === null ? "unknown" : fixed(pct));
  const table = formatTable(entity.dao_participations, [
    { heading: "space", cell: (row) => row.space_id },
    right("power %", (row) => power(row.voting_power_share_pct)),
    right("proposals", (row) => String(row.proposals_voted)),
    right("delegate rank", (row) => String(row.delegate_rank ?? "")),
  ]);
  return `${header}\n${table}`;
}
