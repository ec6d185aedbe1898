import type { UnscoredDao } from "../../../snapshots/format/dao.ts";
import type { Evidence, IndicatorRow, Interval } from "../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { INDICATORS } from "../../score/method/indicators.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { unseenVotes } from "../evidence-texts.ts";
import { POINTS_SHOWN_MIN, spell } from "../spell.ts";
import { logarithmicMean } from "./diff-scores.ts";

/** The published data of a DAO to compare with others of the same version. */
export interface ComparedDao {
  readonly name: string;
  readonly evidence: Evidence;
  /** Why it has only an interval and no score. */
  readonly unscored: UnscoredDao["reason"] | undefined;
}

/** A range of a number or difference; without a point if a DAO has no score. */
export interface Span {
  readonly low: number;
  readonly point: number | undefined;
  readonly high: number;
}

/**
 * Whether two DAOs can be told apart: one is `ahead` or `behind` for all possible values of unknown data,
 * either may be (`unclear`), or there is nothing to compare (`incomparable`).
 */
export type Verdict = "ahead" | "behind" | "unclear" | "incomparable";

const UNKNOWNS_SHOWN = 3;

/** Decides whether one DAO is ahead of another, and explains it in a sentence with the largest unknowns. */
export function tellApart(a: ComparedDao, b: ComparedDao) {
  const pair = [a, b];
  const gvs = differenceOf(spanOf(a.evidence.gvs, a), spanOf(b.evidence.gvs, b));
  const verdict = verdictOf(a, b, gvs);
  const unknowns = (verdict === "unclear" ? pair : [])
    .flatMap(({ evidence }) => unknownsOf(evidence))
    .filter(({ points }) => points >= POINTS_SHOWN_MIN)
    .sort((x, y) => y.points - x.points || (x.spaceId < y.spaceId ? -1 : 1))
    .slice(0, UNKNOWNS_SHOWN);
  // DAOs with the same name are named by their ids.
  const names = pair.map(({ name, evidence }) => (a.name === b.name ? evidence.space_id : name));
  const sentences: Readonly<Record<Verdict, () => string>> = {
    ahead: () => aheadOf(names, gvs),
    behind: () => aheadOf(names.toReversed(), gvs),
    unclear: () => unclearOrder(pair, names, unknowns),
    incomparable: () => `${names.join(" and ")} cannot be compared.`,
  };
  const unscored = pair.flatMap((dao, index) =>
    dao.unscored === undefined ? [] : [`${names[index]} has no score: ${dao.unscored.message}`],
  );
  return { verdict, sentence: [sentences[verdict](), ...unscored].join(" "), gvs, unknowns };
}

/** The published interval of a DAO; without a point if it is unscored. */
export function spanOf({ low, point, high }: Interval, { unscored }: Pick<ComparedDao, "unscored">): Span {
  return { low, point: unscored === undefined ? point : undefined, high };
}

/** The range of a − b, from lowest minus highest to highest minus lowest: nothing is assumed about unknown data. */
export function differenceOf(a: Span, b: Span): Span {
  const point = a.point === undefined || b.point === undefined ? undefined : a.point - b.point;
  return { low: a.low - b.high, point, high: a.high - b.low };
}

/** No proposals in the frame, or a flagged space: its interval says nothing about its votes. */
const hasNothing = ({ unscored }: ComparedDao): boolean =>
  unscored !== undefined && unscored.code !== "TOO_LITTLE_KNOWN";

function verdictOf(a: ComparedDao, b: ComparedDao, { low, high }: Span): Verdict {
  if (hasNothing(a) || hasNothing(b)) return "incomparable";
  if (low > 0) return "ahead";
  return high < 0 ? "behind" : "unclear";
}

/** Why an indicator is unknown, or only known as a range. */
const GAPS = {
  nothing: "not known at all",
  few: "known on few proposals",
  alike: "as wallets that vote alike may be one",
  part: "known in part",
};

/** Components whose indicators have ranges only where wallets vote alike. */
const MERGED_COMPONENTS = new Set<ComponentKey>(["hpr", "dei"]);

/** Cadence and guardrails are not means over proposals, so more proposals do not narrow their ranges. */
const FACTS_OF_DAO = new Set<string>(
  INDICATORS.flatMap(({ id, of: subject }) => (subject === "dao" && id !== "proposers" ? [id] : [])),
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

/** What each indicator adds to the width of a DAO's gvs interval, in points. */
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

function aheadOf([first, second]: readonly string[], { low, point, high }: Span): string {
  const [least, most] = [Math.abs(low), Math.abs(high)].sort((x, y) => x - y).map(points);
  const lead = point === undefined ? "it is" : `${points(point)} points,`;
  return `${first} is ahead of ${second}, and the difference is larger than its uncertainty: ${lead} between ${least} and ${most}.`;
}

function unclearOrder(
  pair: readonly ComparedDao[],
  names: readonly string[],
  unknowns: ReturnType<typeof unknownsOf>,
): string {
  const ranges = pair.map(({ evidence: { gvs } }) => `${points(gvs.low)} to ${points(gvs.high)}`);
  const nameOf = (id: string) => names[pair.findIndex(({ evidence }) => evidence.space_id === id)];
  const parts = unknowns.map(
    (unknown) =>
      `${spell.word(unknown.id)} of ${nameOf(unknown.spaceId)} (${points(unknown.points)} points, ${GAPS[unknown.gap]})`,
  );
  return [
    `${names.join(" and ")} cannot be told apart: their intervals overlap, ${ranges.join(" and ")}.`,
    ...(parts.length === 0 ? [] : [`The largest unknowns: ${parts.join(", ")}.`]),
    // One that was not fetched recently may have voted since.
    ...pair.flatMap(({ evidence }, index) =>
      evidence.presence.high > evidence.presence.low
        ? [`${unseenVotes(`Votes of ${names[index]}`, evidence)}.`]
        : [],
    ),
  ].join(" ");
}
