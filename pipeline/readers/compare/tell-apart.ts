import type { UnscoredDao } from "../../../snapshots/format/dao.ts";
import type { Evidence, IndicatorRow, Interval } from "../../../snapshots/format/evidence.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { INDICATORS } from "../../score/method/marks.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { logarithmicMean } from "./diff-scores.ts";

/** What is published of a DAO that is compared with others of the same version. */
export interface ComparedDao {
  readonly name: string;
  readonly evidence: Evidence;
  /** Why it has no score, only an interval. */
  readonly unscored: UnscoredDao["reason"] | undefined;
}

/** A number or a difference of two, between its two ends; without a point where a DAO has no score. */
export interface Span {
  readonly low: number;
  readonly point: number | undefined;
  readonly high: number;
}

/**
 * Whether two DAOs can be told apart: one is `ahead` or `behind` whatever is not known, either could be (`unclear`), or
 * there is nothing to compare (`incomparable`).
 */
export type Verdict = "ahead" | "behind" | "unclear" | "incomparable";

/** So many unknowns are named, and none that rounds to nothing. */
const UNKNOWNS_SHOWN = 3;
const LEAST_POINTS = 0.005;

/** Whether one DAO is ahead of another, and the answer in words, with what makes it unclear. */
export function tellApart(a: ComparedDao, b: ComparedDao) {
  const gvs = differenceOf(spanOf(a.evidence.gvs, a), spanOf(b.evidence.gvs, b));
  const verdict = verdictOf(a, b, gvs);
  const unknowns = (verdict === "unclear" ? [a, b] : [])
    .flatMap(({ evidence }) => unknownsOf(evidence))
    .filter(({ points }) => points >= LEAST_POINTS)
    .sort((x, y) => y.points - x.points || (x.spaceId < y.spaceId ? -1 : 1))
    .slice(0, UNKNOWNS_SHOWN);
  // Two of one name are called by their ids.
  const names = [a, b].map(({ name, evidence }) => (a.name === b.name ? evidence.space_id : name));
  const [nameA = "", nameB = ""] = names;
  const answers: Readonly<Record<Verdict, () => string>> = {
    ahead: () => aheadOf(nameA, nameB, gvs),
    behind: () => aheadOf(nameB, nameA, gvs),
    unclear: () => unclearOrder([a, b], names, unknowns),
    incomparable: () => `${nameA} and ${nameB} cannot be compared.`,
  };
  const unscored = [a, b].flatMap((dao, place) =>
    dao.unscored === undefined ? [] : [`${names[place]} has no score: ${dao.unscored.message}`],
  );
  return { verdict, sentence: [answers[verdict](), ...unscored].join(" "), gvs, unknowns };
}

/** An interval as it is published of a DAO: an unscored one has no point. */
export function spanOf({ low, point, high }: Interval, { unscored }: Pick<ComparedDao, "unscored">): Span {
  return { low, point: unscored === undefined ? point : undefined, high };
}

/**
 * The one less the other: from the lowest of the one less the highest of the other to the reverse, as nothing is assumed
 * of what is not known.
 */
export function differenceOf(a: Span, b: Span): Span {
  const point = a.point === undefined || b.point === undefined ? undefined : a.point - b.point;
  return { low: a.low - b.high, point, high: a.high - b.low };
}

/** A DAO of which no proposal counts, or whose space is flagged: its interval says nothing of how it votes. */
const hasNothing = ({ unscored }: ComparedDao): boolean =>
  unscored !== undefined && unscored.code !== "TOO_LITTLE_KNOWN";

function verdictOf(a: ComparedDao, b: ComparedDao, { low, high }: Span): Verdict {
  if (hasNothing(a) || hasNothing(b)) return "incomparable";
  if (low > 0) return "ahead";
  return high < 0 ? "behind" : "unclear";
}

/** Why an indicator is not known, or not exactly. */
const GAPS = {
  nothing: "not known at all",
  few: "known on few proposals",
  alike: "as wallets that vote alike may be one",
  part: "known in part",
};

/** Their marks have two ends only where wallets vote alike. */
const MERGED_COMPONENTS = new Set<ComponentKey>(["hpr", "dei"]);

/** Cadence and guardrails are no means over proposals, so that no number of those makes them surer. */
const FACTS_OF_DAO = new Set<string>(
  INDICATORS.flatMap(({ id, of }) => (of === "dao" && id !== "proposers" ? [id] : [])),
);

function gapOf(
  key: ComponentKey,
  { id, low, high, weight }: IndicatorRow,
  notKnown: readonly string[],
): keyof typeof GAPS {
  if (notKnown.includes(id)) return "nothing";
  if (FACTS_OF_DAO.has(id)) return "part";
  const { unseenProposals } = METHODOLOGY.interval;
  const ofUnseen = unseenProposals / (weight + unseenProposals);
  if (ofUnseen >= (high - low) / 2) return "few";
  return MERGED_COMPONENTS.has(key) ? "alike" : "part";
}

/** How wide each indicator makes the interval of a DAO's gvs, in points; together as wide as it is. */
export function unknownsOf({ gvs, components, presence, not_known: notKnown, space_id: spaceId }: Evidence) {
  const mean = logarithmicMean(1 + gvs.high, 1 + gvs.low);
  return COMPONENT_KEYS.flatMap((key) => {
    const { low, high, indicators } = components[key];
    if (high === low) return [];
    const weight = METHODOLOGY.components.weights[key];
    const perPoint = (mean * weight * (Math.log1p(high) - Math.log1p(low))) / (high - low);
    return indicators.map((row) => ({
      spaceId,
      id: row.id,
      points: (perPoint * 10 * (presence.high * row.high - presence.low * row.low)) / indicators.length,
      gap: gapOf(key, row, notKnown),
    }));
  });
}

const points = (value: number): string => Math.abs(value).toFixed(2);

function aheadOf(first: string, second: string, { low, point, high }: Span): string {
  const [least, most] = [Math.abs(low), Math.abs(high)].sort((x, y) => x - y).map(points);
  const by = point === undefined ? "it is" : `${points(point)} points,`;
  return `${first} is ahead of ${second}, and the difference is larger than its uncertainty: ${by} between ${least} and ${most}.`;
}

function unclearOrder(
  pair: readonly ComparedDao[],
  names: readonly string[],
  unknowns: ReturnType<typeof unknownsOf>,
): string {
  const ranges = pair.map(({ evidence: { gvs } }) => `${points(gvs.low)} to ${points(gvs.high)}`);
  const nameOf = (id: string) => names[pair.findIndex(({ evidence }) => evidence.space_id === id)];
  const parts = unknowns.map(
    (each) =>
      `${each.id.replaceAll("_", " ")} of ${nameOf(each.spaceId)} (${points(each.points)} points, ${GAPS[each.gap]})`,
  );
  return [
    `${names.join(" and ")} cannot be told apart: their intervals overlap, ${ranges.join(" and ")}.`,
    ...(parts.length === 0 ? [] : [`The largest unknowns: ${parts.join(", ")}.`]),
    ...pair.flatMap((dao, place) => unseen(dao, names[place] ?? "")),
  ].join(" ");
}

/** Where nobody has looked for a while, the DAO may vote or not. */
function unseen({ evidence: { presence, measures } }: ComparedDao, name: string): readonly string[] {
  if (presence.high <= presence.low) return [];
  const since = measures.fetched_at === null ? "yet" : `since ${dayOf(Date.parse(measures.fetched_at))}`;
  return [`Nobody has looked at ${name} ${since}: it may vote or not.`];
}
