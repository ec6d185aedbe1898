import { DAY_MS } from "../../snapshots/base/days.ts";
import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/ids.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import type { GateInput, PreviousVersion } from "./gate-input.ts";
import { type Compared, finding, GATE_LIMITS, type GateFinding } from "./gate-rules.ts";

type PlausibilityInput = Pick<
  GateInput,
  "lists" | "daos" | "previous" | "neverFetched" | "votes" | "votesOfSpace" | "optOuts" | "previousOptOuts"
>;

/** Compares this version with the previous one: finds falls and jumps that are more likely a fault than news. */
export function checkPlausibility(input: PlausibilityInput): readonly GateFinding[] {
  const { lists, previous, optOuts, previousOptOuts } = input;
  // Without numbers, because the count of opt-outs is not published.
  const optOutsFell =
    previousOptOuts !== undefined && fallOf(optOuts, previousOptOuts)
      ? [finding("OPT_OUTS_FELL", "over a fifth of the opt-outs of the last run are gone")]
      : [];
  if (previous === undefined) return [...checkFirstVersion(input), ...optOutsFell];
  if ("damage" in previous) {
    const message = `the current version is damaged, so nothing can be compared with it (${previous.damage})`;
    return [finding("PREVIOUS_DAMAGED", message), ...optOutsFell];
  }
  return [
    ...warnAboutTime(lists, previous),
    ...checkDaoCount(lists, previous),
    ...checkVotes(input, previous),
    ...checkScoreJumps(lists, previous),
    ...checkCompleteness(input, previous),
    ...optOutsFell,
  ];
}

function warnAboutTime(lists: VersionLists, previous: PreviousVersion): readonly GateFinding[] {
  const versions = `as of ${lists.asOf}, the current version is as of ${previous.asOf}`;
  const apart = distance(lists.asOf, previous.asOf);
  const isSameMethod = lists.methodologyVersion === previous.methodologyVersion;
  const far = `more than ${GATE_LIMITS.comparableDays} days apart, scores are not compared`;
  const methods = `methodology ${previous.methodologyVersion} becomes ${lists.methodologyVersion}`;
  return [
    ...(apart === "earlier"
      ? [finding("AS_OF_EARLIER", `${versions}: older scores replace newer ones, and are not compared`)]
      : []),
    ...(apart === "far" ? [finding("AS_OF_FAR", `${versions}: ${far}`)] : []),
    ...(isSameMethod ? [] : [finding("METHODOLOGY_CHANGED", `${methods}: scores are not compared`)]),
  ];
}

/** DAOs named in a message; the others are counted. */
const NAMED_MAX = 5;

const listed = (names: readonly string[]): string =>
  `${names.slice(0, NAMED_MAX).join(", ")}${names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : ""}`;

/** Nothing shows what a first version lacks, so one that lacks most DAOs would pass for the whole. */
function checkFirstVersion({ lists, neverFetched }: PlausibilityInput): GateFinding[] {
  const tracked = lists.daos.length + lists.unscored.length;
  const fetched = tracked - neverFetched.length;
  if (fetched * 2 >= tracked) return [];
  const compared = { is: `${fetched}`, limit: `at least ${Math.ceil(tracked / 2)}` };
  const message = `${neverFetched.length} of ${tracked} DAOs could not be fetched for the first version: ${listed(neverFetched)}`;
  return [finding("FIRST_VERSION_THIN", message, { compared })];
}

function checkDaoCount(lists: VersionLists, previous: PreviousVersion): GateFinding[] {
  const ranked = new Set(lists.daos.map((dao) => dao.space_id));
  const reasons = new Map(lists.unscored.map((dao) => [dao.space_id, dao.reason.code]));
  const gone = previous.daos.filter((dao) => !ranked.has(dao.space_id)).map((dao) => dao.space_id);
  // The platform took these out itself. Any other reason may be the result of a fault, such as lost proposals.
  const flagged = gone.filter((spaceId) => reasons.get(spaceId) === "SPACE_FLAGGED");
  const [now, before] = [lists.daos.length, previous.daos.length - flagged.length];
  const compared = fallOf(now, before);
  if (compared === undefined) return [];
  const named = gone
    .filter((spaceId) => !flagged.includes(spaceId))
    .map((spaceId) => `${spaceId} (${reasons.get(spaceId) ?? "no longer tracked"})`);
  const unranked = named.length === 0 ? "" : `; not ranked any more: ${listed(named)}`;
  const isNear = now === 0 || distance(lists.asOf, previous.asOf) === "near";
  const message = `${now} DAOs are ranked, ${before} were before${unranked}`;
  const fell = finding("DAO_COUNT_FELL", message, { compared });
  // Between distant moments, DAOs start and stop voting. Between near ones, or if no DAO is left, a fault is likelier.
  return [isNear ? fell : { ...fell, severity: "warn" }];
}

function checkScoreJumps(lists: VersionLists, previous: PreviousVersion): GateFinding[] {
  if (!isComparable(lists, previous)) return [];
  const { scoreJumpPoints } = GATE_LIMITS;
  const before = new Map(previous.daos.map((dao) => [dao.space_id, dao.gvs]));
  return lists.daos.flatMap(({ space_id: spaceId, gvs }) => {
    const was = before.get(spaceId);
    if (was === undefined || Math.abs(roundTo(gvs - was, SCORE_DECIMALS)) <= scoreJumpPoints) return [];
    const compared = { was: was.toFixed(2), is: gvs.toFixed(2), limit: `${scoreJumpPoints} points` };
    const message = `${spaceId}: gvs ${compared.was} became ${compared.is}, more than ${compared.limit} at once`;
    return [finding("SCORE_JUMPED", message, { spaceId, compared })];
  });
}

/** A file that is truncated after a row looks complete; only the previous count reveals it. */
function checkVotes({ votes, votesOfSpace }: PlausibilityInput, previous: PreviousVersion): GateFinding[] {
  const ofAll = fallOf(votes, previous.votes);
  const message = `the sources returned ${votes} votes, ${previous.votes} before`;
  const ofSpaces = [...previous.votesOfSpace].flatMap(([spaceId, before]) => {
    const now = votesOfSpace.get(spaceId);
    // A DAO that is no longer tracked has not lost votes.
    const compared = now === undefined ? undefined : fallOf(now, before);
    if (compared === undefined) return [];
    const message = `${spaceId}: ${now} votes are stored, ${before} before`;
    return [finding("VOTES_FELL", message, { spaceId, compared })];
  });
  return [...(ofAll ? [finding("VOTES_FELL", message, { compared: ofAll })] : []), ...ofSpaces];
}

/** Checks the completeness of the DAOs that both versions rank, on average and for each. */
function checkCompleteness(
  { lists, daos }: Pick<PlausibilityInput, "lists" | "daos">,
  previous: PreviousVersion,
): readonly GateFinding[] {
  if (!isComparable(lists, previous)) return [];
  const changes = daos.flatMap(({ digest: { spaceId }, completeness: is }) => {
    const was = previous.completenessOfSpace.get(spaceId);
    return was === undefined || is === undefined ? [] : [{ spaceId, was, is }];
  });
  if (changes.length === 0) return [];
  const mean = (end: "was" | "is") => changes.reduce((sum, change) => sum + change[end], 0) / changes.length;
  const fell = (what: string, was: number, is: number, limit: number, about: { spaceId?: string } = {}) => {
    // Rounded as published, so that a rounding error does not exceed a limit that is met exactly.
    if (roundTo(was - is, SCORE_DECIMALS) <= limit) return [];
    const compared = { was: was.toFixed(2), is: is.toFixed(2), limit: `${limit} points less` };
    const message = `${what} fell from ${compared.was} to ${compared.is}`;
    return [finding("COMPLETENESS_FELL", message, { ...about, compared })];
  };
  const all = `the mean completeness of ${changes.length} DAOs`;
  const { completenessMeanFallPct, completenessFallPct } = GATE_LIMITS;
  return [
    ...fell(all, mean("was"), mean("is"), completenessMeanFallPct),
    ...changes.flatMap(({ spaceId, was, is }) =>
      fell(`${spaceId}: completeness`, was, is, completenessFallPct, { spaceId }),
    ),
  ];
}

/** Whether this version is earlier than the previous one, near it in time, or much later. */
function distance(asOf: string, previousAsOf: string): "near" | "far" | "earlier" {
  const days = (Date.parse(asOf) - Date.parse(previousAsOf)) / DAY_MS;
  if (days < 0) return "earlier";
  return days <= GATE_LIMITS.comparableDays ? "near" : "far";
}

/** Whether the scores of two versions can be compared: same method, near in time. */
function isComparable(lists: VersionLists, previous: PreviousVersion): boolean {
  const isSameMethod = lists.methodologyVersion === previous.methodologyVersion;
  return isSameMethod && distance(lists.asOf, previous.asOf) === "near";
}

/**
 * The comparison if more than a fifth is gone, with the smallest count that would have passed. Computed in whole numbers, so
 * that exactly a fifth is allowed.
 */
function fallOf(now: number, before: number): Compared | undefined {
  const { part, of: whole } = GATE_LIMITS.fallAllowed;
  if (now * whole >= before * (whole - part)) return undefined;
  const limit = `at least ${Math.ceil((before * (whole - part)) / whole)}`;
  return { was: `${before}`, is: `${now}`, limit };
}
