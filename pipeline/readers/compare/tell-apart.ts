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
 * Whether two DAOs can be told apart: one is `ahead` or `behind` whatever is not known, either could be (`open`), or
 * there is nothing to compare (`none`).
 */
export type Verdict = "ahead" | "behind" | "open" | "none";

/** What one indicator leaves open of the gvs. */
export type Doubt = ReturnType<typeof doubtsOf>[number];

/** So many doubts are named, and none that rounds to nothing. */
const DOUBTS_TOLD = 3;
const LEAST_TOLD = 0.005;

/** Whether one DAO is ahead of another, and the answer in words, with what leaves it open. */
export function tellApart(a: ComparedDao, b: ComparedDao) {
  const gvs = differenceOf(spanOf(a.evidence.gvs, a), spanOf(b.evidence.gvs, b));
  const verdict = verdictOf(a, b, gvs);
  const doubts = (verdict === "open" ? [a, b] : [])
    .flatMap(({ evidence }) => doubtsOf(evidence))
    .filter(({ points: open }) => open >= LEAST_TOLD)
    .sort((x, y) => y.points - x.points || (x.spaceId < y.spaceId ? -1 : 1))
    .slice(0, DOUBTS_TOLD);
  return { verdict, sentence: sentenceOf(a, b, { verdict, gvs, doubts }), gvs, doubts };
}

/** An interval of a DAO as it may be told: an unscored one has no point. */
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
  if (hasNothing(a) || hasNothing(b)) return "none";
  if (low > 0) return "ahead";
  return high < 0 ? "behind" : "open";
}

/**
 * How a doubt came about: nothing is known, it is known on few proposals, wallets that vote alike may be one voter, or
 * something else is known in part.
 */
type Gap = "nothing" | "few" | "alike" | "part";

/** Their marks have two ends only where wallets vote alike. */
const MERGED_COMPONENTS = new Set<ComponentKey>(["hpr", "dei"]);

/** Cadence and guardrails are no means over proposals, so that no number of those makes them surer. */
const FACTS_OF_DAO = new Set<string>(
  INDICATORS.flatMap(({ id, of }) => (of === "dao" && id !== "proposers" ? [id] : [])),
);

function gapOf(key: ComponentKey, { id, low, high, weight }: IndicatorRow, notKnown: readonly string[]): Gap {
  if (notKnown.includes(id)) return "nothing";
  if (FACTS_OF_DAO.has(id)) return "part";
  const { unseenProposals } = METHODOLOGY.interval;
  const ofUnseen = unseenProposals / (weight + unseenProposals);
  if (ofUnseen >= (high - low) / 2) return "few";
  return MERGED_COMPONENTS.has(key) ? "alike" : "part";
}

/** How wide each indicator makes the interval of a DAO's gvs, in points; together as wide as it is. */
export function doubtsOf({ gvs, components, presence, not_known: notKnown, space_id: spaceId }: Evidence) {
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

const GAP_WORDS: Readonly<Record<Gap, string>> = {
  nothing: "not known at all",
  few: "known on few proposals",
  alike: "as wallets that vote alike may be one",
  part: "known in part",
};

/** Which is ahead and by how much, or why nobody can say. */
function sentenceOf(
  a: ComparedDao,
  b: ComparedDao,
  { verdict, gvs, doubts }: { verdict: Verdict; gvs: Span; doubts: readonly Doubt[] },
): string {
  // Two of one name are called by their ids.
  const nameOf = ({ name, evidence }: ComparedDao): string => (a.name === b.name ? evidence.space_id : name);
  const answers: Readonly<Record<Verdict, () => string>> = {
    ahead: () => aheadOf(nameOf(a), nameOf(b), gvs),
    behind: () => aheadOf(nameOf(b), nameOf(a), gvs),
    open: () => openBetween([a, b], nameOf, doubts),
    none: () => `${nameOf(a)} and ${nameOf(b)} cannot be compared.`,
  };
  const unscored = [a, b].flatMap((dao) =>
    dao.unscored === undefined ? [] : [`${nameOf(dao)} has no score: ${dao.unscored.message}`],
  );
  return [answers[verdict](), ...unscored].join(" ");
}

const points = (value: number): string => Math.abs(value).toFixed(2);

function aheadOf(first: string, second: string, { low, point, high }: Span): string {
  const [least, most] = [Math.abs(low), Math.abs(high)].sort((x, y) => x - y).map(points);
  const by = point === undefined ? "it is" : `${points(point)} points,`;
  return `${first} is ahead of ${second}, and the difference is larger than its uncertainty: ${by} between ${least} and ${most}.`;
}

function openBetween(
  pair: readonly ComparedDao[],
  nameOf: (dao: ComparedDao) => string,
  doubts: readonly Doubt[],
): string {
  const ranges = pair.map(({ evidence: { gvs } }) => `${points(gvs.low)} to ${points(gvs.high)}`);
  const names = new Map(pair.map((dao) => [dao.evidence.space_id, nameOf(dao)]));
  const parts = doubts.map(
    ({ spaceId, id, points: open, gap }) =>
      `${id.replaceAll("_", " ")} of ${names.get(spaceId)} (${points(open)} points, ${GAP_WORDS[gap]})`,
  );
  return [
    `${pair.map(nameOf).join(" and ")} cannot be told apart: their intervals overlap, ${ranges.join(" and ")}.`,
    ...(parts.length === 0 ? [] : [`The largest unknowns: ${parts.join(", ")}.`]),
    ...pair.flatMap((dao) => unseen(dao, nameOf(dao))),
  ].join(" ");
}

/** Where nobody has looked for a while, the DAO may vote or not. */
function unseen({ evidence: { presence, measures } }: ComparedDao, name: string): readonly string[] {
  if (presence.high <= presence.low) return [];
  const since = measures.fetched_at === null ? "yet" : `since ${dayOf(Date.parse(measures.fetched_at))}`;
  return [`Nobody has looked at ${name} ${since}: it may vote or not.`];
}
