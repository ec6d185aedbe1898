import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import {
  fallCompared,
  GATE_LIMITS,
  type GateCode,
  type GateFinding,
  type GateOverride,
  hasFallen,
  type Refuse,
  refuseUnless,
} from "./gate-rules.ts";
import { type DamagedVersion, distance, isComparable, type PreviousVersion } from "./previous-version.ts";

interface Change {
  readonly spaceId: string;
  readonly was: number;
  readonly is: number;
}

/** Points lost, as published: two decimals, so that a limit that is met exactly is not passed by a rounding. */
const lost = ({ was, is }: Pick<Change, "was" | "is">): number => roundTo(was - is, SCORE_DECIMALS);

const comparedOf = ({ was, is }: Pick<Change, "was" | "is">, limitPct: number) => ({
  was: was.toFixed(2),
  is: is.toFixed(2),
  limit: `${limitPct} points less`,
});

function meanOf(changes: readonly Change[]): { readonly was: number; readonly is: number } {
  const mean = (of: (change: Change) => number) =>
    changes.reduce((sum, change) => sum + of(change), 0) / changes.length;
  return { was: mean(({ was }) => was), is: mean(({ is }) => is) };
}

/** Completeness of the DAOs that both versions rank: neither its mean nor that of one DAO has fallen far. */
export function checkCompleteness(
  set: PublishedSet,
  previous: PreviousVersion,
  refuse: Refuse,
): readonly GateFinding[] {
  if (!isComparable(set, previous)) return [];
  const changes = set.details.flatMap(({ space_id: spaceId, data_completeness: is }): Change[] => {
    const was = previous.completenessOfSpace.get(spaceId);
    return was === undefined ? [] : [{ spaceId, was, is }];
  });
  if (changes.length === 0) return [];
  const { completenessMeanFallPct, completenessFallPct } = GATE_LIMITS;
  const mean = meanOf(changes);
  const compared = comparedOf(mean, completenessMeanFallPct);
  const message = `the mean completeness of ${changes.length} DAOs fell from ${compared.was} to ${compared.is}`;
  const hasMeanFallen = lost(mean) > completenessMeanFallPct;
  const ofAll = hasMeanFallen ? [refuse("COMPLETENESS_FELL", message, { compared })] : [];
  const ofEach = changes
    .filter((change) => lost(change) > completenessFallPct)
    .map((change) => {
      const own = comparedOf(change, completenessFallPct);
      const message = `${change.spaceId}: completeness fell from ${own.was} to ${own.is}`;
      return refuse("COMPLETENESS_FELL", message, { spaceId: change.spaceId, compared: own });
    });
  return [...ofAll, ...ofEach];
}

/** What is compared with the past. */
export interface PlausibilityInput {
  readonly set: PublishedSet;
  readonly previous: PreviousVersion | DamagedVersion | undefined;
  /** Votes that all sources together give to this version. */
  readonly votes: number;
  /** Votes this version holds of each DAO, by space_id. */
  readonly votesOfSpace: ReadonlyMap<string, number>;
  readonly optOuts: number;
  /** Opt-outs at the last run from this home; `undefined` before the first. Never published, so not part of `previous`. */
  readonly previousOptOuts: number | undefined;
  readonly overrides: readonly GateOverride[];
}

function warnAboutTime(set: PublishedSet, previous: PreviousVersion): readonly GateFinding[] {
  const versions = `as of ${set.asOf}, the current version is as of ${previous.asOf}`;
  const apart = distance(set.asOf, previous.asOf);
  const isSameMethod = set.methodologyVersion === previous.methodologyVersion;
  const warn = (code: GateCode, message: string): GateFinding => ({ code, message, severity: "warn" });
  const far = `more than ${GATE_LIMITS.comparableDays} days apart, scores are not compared`;
  const methods = `methodology ${previous.methodologyVersion} becomes ${set.methodologyVersion}`;
  return [
    ...(apart === "earlier"
      ? [warn("AS_OF_EARLIER", `${versions}: older scores replace newer ones, and are not compared`)]
      : []),
    ...(apart === "far" ? [warn("AS_OF_FAR", `${versions}: ${far}`)] : []),
    ...(isSameMethod ? [] : [warn("METHODOLOGY_CHANGED", `${methods}: scores are not compared`)]),
  ];
}

function checkDaoCount({ set }: PlausibilityInput, previous: PreviousVersion, refuse: Refuse): GateFinding[] {
  const [now, before] = [set.daos.length, previous.daos.length];
  if (!hasFallen(now, before)) return [];
  const isNear = now === 0 || distance(set.asOf, previous.asOf) === "near";
  const compared = fallCompared(now, before);
  const finding = refuse("DAO_COUNT_FELL", `${now} DAOs are ranked, ${before} were before`, { compared });
  // Between far moments DAOs begin and end to vote; only between near ones, or where none is left, is
  // this most likely a fault of ours.
  return [isNear ? finding : { ...finding, severity: "warn" }];
}

function checkScoreJumps(
  { set }: PlausibilityInput,
  previous: PreviousVersion,
  refuse: Refuse,
): GateFinding[] {
  if (!isComparable(set, previous)) return [];
  const { scoreJumpPoints } = GATE_LIMITS;
  const before = new Map(previous.daos.map((dao) => [dao.space_id, dao.gvs]));
  return set.daos.flatMap(({ space_id: spaceId, gvs }) => {
    const was = before.get(spaceId);
    if (was === undefined || Math.abs(roundTo(gvs - was, SCORE_DECIMALS)) <= scoreJumpPoints) return [];
    const compared = { was: was.toFixed(2), is: gvs.toFixed(2), limit: `${scoreJumpPoints} points` };
    const message = `${spaceId}: gvs ${compared.was} became ${compared.is}, more than ${compared.limit} at once`;
    return [refuse("SCORE_JUMPED", message, { spaceId, compared })];
  });
}

/** A file cut at the end of a row looks like a shorter one: only what was held before can tell. */
function checkVotes(input: PlausibilityInput, previous: PreviousVersion, refuse: Refuse): GateFinding[] {
  const { votes, votesOfSpace } = input;
  const messageOfAll = `the sources gave ${votes} votes, ${previous.votes} before`;
  const ofSpaces = [...previous.votesOfSpace].flatMap(([spaceId, before]) => {
    const now = votesOfSpace.get(spaceId);
    // A DAO that is not tracked any more has lost no votes.
    if (now === undefined || !hasFallen(now, before)) return [];
    const message = `${spaceId}: ${now} votes are held, ${before} before`;
    return [refuse("VOTES_FELL", message, { spaceId, compared: fallCompared(now, before) })];
  });
  if (!hasFallen(votes, previous.votes)) return ofSpaces;
  return [refuse("VOTES_FELL", messageOfAll, { compared: fallCompared(votes, previous.votes) }), ...ofSpaces];
}

/** What this version says against what the last one said: a fall or a jump that is more likely a fault than news. */
export function checkPlausibility(input: PlausibilityInput): readonly GateFinding[] {
  const { set, previous, optOuts, previousOptOuts, overrides } = input;
  const refuse = refuseUnless(overrides);
  // The numbers stay out of the finding: how many opted out is not published.
  const optOutsFell =
    previousOptOuts !== undefined && hasFallen(optOuts, previousOptOuts)
      ? [refuse("OPT_OUTS_FELL", "over a fifth of the opt-outs of the last run are gone")]
      : [];
  if (previous === undefined) return optOutsFell;
  if ("damage" in previous) {
    const message = `the current version is damaged, so nothing can be compared with it (${previous.damage})`;
    return [refuse("PREVIOUS_DAMAGED", message), ...optOutsFell];
  }
  return [
    ...warnAboutTime(set, previous),
    ...checkDaoCount(input, previous, refuse),
    ...checkVotes(input, previous, refuse),
    ...checkScoreJumps(input, previous, refuse),
    ...checkCompleteness(set, previous, refuse),
    ...optOutsFell,
  ];
}
