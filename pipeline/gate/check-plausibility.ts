import type { DaoList } from "../../snapshots/format/dao.ts";
import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/numbers.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { DAY_MS } from "../base/days.ts";
import type { GateCode, GateFinding, GateOverride } from "./gate-finding.ts";

/** Part of a count that may be gone without a word: a fifth, as for opt-outs in the publishing rules (ours). */
const FALL_ALLOWED = { part: 1, of: 5 } as const;

/** Points a gvs may move between two versions that are close in time: a fifth of its scale (ours). */
const SCORE_JUMP_POINTS = 2;

/** Versions further apart say nothing about each other's scores: a weekly run is the slowest we know of (ours). */
const COMPARABLE_DAYS = 7;

/** The version that is current before this run, as far as a gate compares with it. */
export interface PreviousVersion {
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly daos: DaoList;
  /** Votes that all sources together gave to it. */
  readonly votes: number;
  /** Votes it holds of each DAO whose last fetch was whole, by space_id. */
  readonly votesOfSpace: ReadonlyMap<string, number>;
}

/** A current version that cannot be read, and why: nothing can be compared with it. */
export interface DamagedVersion {
  readonly damage: string;
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

type Refusal = (code: GateCode, override: GateOverride, message: string, spaceId?: string) => GateFinding;

/** A refusal, or a warning where the operator let it pass by name. */
function refusalUnless(overrides: readonly GateOverride[]): Refusal {
  return (code, override, message, spaceId) => ({
    code,
    message,
    severity: overrides.includes(override) ? "warn" : "refuse",
    override,
    ...(spaceId === undefined ? {} : { spaceId }),
  });
}

/** More than a fifth is gone; in whole numbers, so that exactly a fifth is not. */
function hasFallen(now: number, before: number): boolean {
  return now * FALL_ALLOWED.of < before * (FALL_ALLOWED.of - FALL_ALLOWED.part);
}

/** Whether the two versions are of nearly the same time, and if not, which of them is the later. */
function distance(asOf: string, previousAsOf: string): "near" | "far" | "earlier" {
  const days = (Date.parse(asOf) - Date.parse(previousAsOf)) / DAY_MS;
  if (days < 0) return "earlier";
  return days <= COMPARABLE_DAYS ? "near" : "far";
}

function warnAboutTime(set: PublishedSet, previous: PreviousVersion): readonly GateFinding[] {
  const versions = `as of ${set.asOf}, the current version is as of ${previous.asOf}`;
  const apart = distance(set.asOf, previous.asOf);
  const isSameMethod = set.methodologyVersion === previous.methodologyVersion;
  const warn = (code: GateCode, message: string): GateFinding => ({ code, message, severity: "warn" });
  return [
    ...(apart === "earlier"
      ? [warn("AS_OF_EARLIER", `${versions}: older scores replace newer ones, and are not compared`)]
      : []),
    ...(apart === "far"
      ? [warn("AS_OF_FAR", `${versions}: more than ${COMPARABLE_DAYS} days apart, scores are not compared`)]
      : []),
    ...(isSameMethod
      ? []
      : [
          warn(
            "METHODOLOGY_CHANGED",
            `methodology ${previous.methodologyVersion} becomes ${set.methodologyVersion}: scores are not compared`,
          ),
        ]),
  ];
}

function checkDaoCount(input: PlausibilityInput, previous: PreviousVersion, refuse: Refusal): GateFinding[] {
  const { set } = input;
  const [now, before] = [set.daos.length, previous.daos.length];
  if (!hasFallen(now, before)) return [];
  const isNear = now === 0 || distance(set.asOf, previous.asOf) === "near";
  const finding = refuse("DAO_COUNT_FELL", "dao-count", `${now} DAOs are ranked, ${before} were before`);
  // Between far moments DAOs begin and end to vote; only between near ones, or where none is left, is
  // this most likely a fault of ours.
  return [isNear ? finding : { ...finding, severity: "warn" }];
}

function checkScoreJumps(
  input: PlausibilityInput,
  previous: PreviousVersion,
  refuse: Refusal,
): GateFinding[] {
  const { set } = input;
  if (distance(set.asOf, previous.asOf) !== "near") return [];
  if (set.methodologyVersion !== previous.methodologyVersion) return [];
  const before = new Map(previous.daos.map((dao) => [dao.space_id, dao.gvs]));
  return set.daos.flatMap(({ space_id, gvs }) => {
    const was = before.get(space_id);
    if (was === undefined || Math.abs(roundTo(gvs - was, SCORE_DECIMALS)) <= SCORE_JUMP_POINTS) return [];
    const message = `${space_id}: gvs ${was.toFixed(2)} became ${gvs.toFixed(2)}, more than ${SCORE_JUMP_POINTS} points at once`;
    return [refuse("SCORE_JUMPED", "score-jump", message, space_id)];
  });
}

/** A file cut at the end of a row looks like a shorter one: only what was held before can tell. */
function checkVotes(input: PlausibilityInput, previous: PreviousVersion, refuse: Refusal): GateFinding[] {
  const { votes, votesOfSpace } = input;
  const all = hasFallen(votes, previous.votes)
    ? [refuse("VOTES_FELL", "votes", `the sources gave ${votes} votes, ${previous.votes} before`)]
    : [];
  const ofSpaces = [...previous.votesOfSpace].flatMap(([spaceId, before]) => {
    const now = votesOfSpace.get(spaceId);
    // A DAO that is not tracked any more has lost no votes.
    if (now === undefined || !hasFallen(now, before)) return [];
    return [refuse("VOTES_FELL", "votes", `${spaceId}: ${now} votes are held, ${before} before`, spaceId)];
  });
  return [...all, ...ofSpaces];
}

/** What this version says against what the last one said: a fall or a jump that is more likely a fault than news. */
export function checkPlausibility(input: PlausibilityInput): readonly GateFinding[] {
  const { set, previous, optOuts, previousOptOuts, overrides } = input;
  const refuse = refusalUnless(overrides);
  // The numbers stay out of the message: how many opted out is not published.
  const optOutsFell =
    previousOptOuts !== undefined && hasFallen(optOuts, previousOptOuts)
      ? [refuse("OPT_OUTS_FELL", "opt-outs", "over a fifth of the opt-outs of the last run are gone")]
      : [];
  if (previous === undefined) return optOutsFell;
  if ("damage" in previous) {
    const message = `the current version is damaged, so nothing can be compared with it (${previous.damage})`;
    return [refuse("PREVIOUS_DAMAGED", "previous", message), ...optOutsFell];
  }
  return [
    ...warnAboutTime(set, previous),
    ...checkDaoCount(input, previous, refuse),
    ...checkVotes(input, previous, refuse),
    ...checkScoreJumps(input, previous, refuse),
    ...optOutsFell,
  ];
}
