import { formatTable, pairs, right, wrap } from "../../../snapshots/base/command-line/table.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { COMPONENT_KEYS, type Confidence, TREND_WORDS } from "../../../snapshots/format/value-sets.ts";
import { concentrationTexts } from "../evidence-texts.ts";
import { type IndexMove, sumOfMoves } from "../index-moves.ts";
import { formatChange, inBrackets, spell } from "../spell.ts";
import type { ShownEnvelope } from "./show.ts";

interface Width {
  readonly columns: number | undefined;
}

/** A range in brackets after a number; empty if the range is not published. */
const between = (ends: readonly [number, number] | undefined, decimals = 2): string =>
  ends === undefined ? "" : ` ${inBrackets(...ends, decimals)}`;

export function formatDaos({ data, meta }: ShownEnvelope<"daos">, { columns }: Width): string {
  const rows = data.map((dao) => ({ ...dao, known: meta.by_space_id?.[dao.space_id] }));
  type Row = (typeof rows)[number];
  const isKnown = rows.some(({ known }) => known !== undefined);
  const ranks = right<Row>("ranks", ({ known }) => known?.rank_range.join("-") ?? "-");
  const range = right<Row>("between", ({ known }) => known?.interval.gvs.map(spell.score).join("-") ?? "-");
  return formatTable(
    rows,
    [
      right("rank", (dao) => String(dao.rank)),
      ...(isKnown ? [ranks] : []),
      { heading: "space", cell: (dao) => dao.space_id },
      right("gvs", (dao) => spell.score(dao.gvs)),
      ...(isKnown ? [range] : []),
      ...COMPONENT_KEYS.map((key) => right<Row>(key, (dao) => spell.score(dao.components[key]))),
      right("24h", (dao) => spell.score(dao.delta_24h), "drop"),
      right("known %", ({ known }) => (known ? (100 * known.known_share).toFixed(0) : "-"), "drop"),
    ],
    columns,
  );
}

/** How many proposals count, by what the API calls confidence: it says nothing of how certain a score is. */
const PROPOSALS: Readonly<Record<Confidence, string>> = { high: "20 or more", low: "under 20" };

export function formatDao({ data: dao, meta }: ShownEnvelope<"dao">): string {
  const { overall, category } = dao.rankings;
  const range = meta.rank_range === undefined ? "" : ` [${meta.rank_range.join("-")}]`;
  const header = pairs([
    ["name", `${dao.name} (${dao.space_id})`],
    [
      "gvs",
      `${spell.score(dao.gvs)}${between(meta.interval?.gvs)}  ${PROPOSALS[dao.gvs_confidence]} proposals`,
    ],
    ...COMPONENT_KEYS.map((key) => {
      const { score, label } = dao.components[key];
      return [key, `${spell.score(score)}${between(meta.interval?.[key])}  ${label}`] as const;
    }),
    [
      "rank",
      `${overall.rank}${range} of ${overall.total}, ${category.rank} of ${category.total} in ${category.category}`,
    ],
    ["complete", `${spell.score(dao.data_completeness)} %`],
    ["last days", dao.history.gvs_30d.slice(-7).map(spell.score).join(" ")],
    ["as of", dao.last_calculated],
  ]);
  if (dao.top_entities.length === 0) return header;
  const entities = formatTable(dao.top_entities, [
    { heading: "entity", cell: ({ label }) => label },
    right("power %", (entity) => spell.score(entity.voting_power_share_pct)),
    right("voted on", (entity) => `${entity.proposals_voted} of ${entity.proposals_known} known`),
    right("unknown", (entity) => String(entity.proposals_unknown)),
  ]);
  return `${header}\n${entities}`;
}

export function formatRisk({ data: risk, meta }: ShownEnvelope<"risk">): string {
  const score = `${spell.tenth(risk.risk_score)}${between(meta.interval?.risk, 1)}`;
  return pairs([
    ["risk", `${score}  ${risk.risk_level}, ${TREND_WORDS[risk.trend]} over 30 days`],
    ...Object.entries(risk.factors).map(([name, value]) => [name, String(value)] as const),
    ...concentrationTexts(meta.concentration).map(({ name, value }) => [name, value] as const),
    ["as of", risk.assessed_at],
  ]);
}

/** Delegates by power, with whole addresses if stdout is not a terminal, as names are not unique. */
export function formatDelegates(listing: DelegateListing, { columns }: Width): string {
  type Row = DelegateListing["delegates"][number];
  const table = formatTable(
    listing.delegates,
    [
      right("rank", ({ rank }) => String(rank)),
      ...(columns === undefined ? [{ heading: "address", cell: ({ address }: Row) => address }] : []),
      { heading: "delegate", cell: (row) => row.display_name },
      right("votes", (row) => spell.score(row.votes_human)),
      right("share %", (row) => spell.score(row.votes_share_pct)),
      right("delegators", (row) => String(row.delegators_count), "drop"),
      { heading: "tier", cell: (row) => row.weight_tier, fit: "drop" },
    ],
    columns,
  );
  return `${listing.dao}: ${listing.total_delegates} delegates, fetched ${listing.fetched_at}\n\n${table}`;
}

/** Days summed up if no moves are requested. */
const DAYS_SUMMED = 30;

export function formatDgi({ data: dgi, meta }: ShownEnvelope<"dgi">, moves: readonly IndexMove[]): string {
  const document = pairs([
    ["dgi", `${spell.score(dgi.composite)}${between(meta.interval?.composite)}  over ${dgi.dao_count} DAOs`],
    ...COMPONENT_KEYS.map(
      (key) => [key, `${spell.score(dgi.components[key])}${between(meta.interval?.[key])}`] as const,
    ),
    ["as of", dgi.calculated_at],
  ]);
  const lately = sumOfMoves(moves.slice(-DAYS_SUMMED));
  if (lately === undefined) return document;
  const { from, to, before, after, scores, weights, members } = lately;
  const moved = `Moved by ${formatChange(after - before)} from ${from} to ${to}: ${formatChange(scores)} by scores of its members, ${formatChange(weights)} by their weights, ${formatChange(members)} by new or lost members.`;
  return `${document}\n${wrap(moved)}`;
}

export function formatMoves(moves: readonly IndexMove[]): string {
  return formatTable(moves, [
    { heading: "from", cell: ({ from }) => from },
    { heading: "to", cell: ({ to }) => to },
    right("dgi", ({ after }) => spell.score(after)),
    right("move", ({ before, after }) => formatChange(after - before)),
    ...(["scores", "weights", "members", "rounding"] as const).map((part) =>
      right<IndexMove>(part, (move) => formatChange(move[part])),
    ),
  ]);
}

export function formatEntity(entity: ShownEnvelope<"entity">["data"]): string {
  const header = pairs([
    ["entity", `${entity.label} (${entity.entity_id})`],
    ...entity.wallets.map((wallet) => ["wallet", wallet] as const),
  ]);
  if (entity.dao_participations.length === 0) return header;
  const table = formatTable(entity.dao_participations, [
    { heading: "space", cell: (row) => row.space_id },
    right("power %", ({ voting_power_share_pct: pct }) => (pct === null ? "unknown" : spell.score(pct))),
    right("proposals", (row) => String(row.proposals_voted)),
    right("delegate rank", (row) => String(row.delegate_rank ?? "")),
  ]);
  return `${header}\n${table}`;
}
