import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { GATE_LIMITS, type GateFinding, type Refuse } from "./gate-rules.ts";
import type { FetchedRows, PreviousVersion } from "./previous-version.ts";

type Rows = Pick<FetchedRows, "taken" | "rejected">;

const NONE: Rows = { taken: 0, rejected: 0 };

const sharePct = ({ taken, rejected }: Rows): number =>
  taken + rejected === 0 ? 0 : (100 * rejected) / (taken + rejected);

const addUp = (rows: readonly Rows[]): Rows =>
  rows.reduce(
    (sum, { taken, rejected }) => ({ taken: sum.taken + taken, rejected: sum.rejected + rejected }),
    NONE,
  );

/** A DAO may be fetched from several sources. */
function bySpace(rows: readonly FetchedRows[]): ReadonlyMap<string, Rows> {
  const sums = new Map<string, Rows>();
  for (const each of rows) sums.set(each.spaceId, addUp([sums.get(each.spaceId) ?? NONE, each]));
  return sums;
}

function findRise(
  now: Rows,
  before: Rows,
  refuse: Refuse,
  spaceId: string | undefined,
): readonly GateFinding[] {
  const { rejectedPct, rejectedRisePct, rejectedRowsMin } = GATE_LIMITS;
  const [is, was] = [sharePct(now), sharePct(before)];
  if (now.rejected < rejectedRowsMin || is <= rejectedPct || is <= was + rejectedRisePct) return [];
  const limit = `${rejectedPct} %, or ${rejectedRisePct} point above the version before`;
  const compared = { was: `${was.toFixed(2)} %`, is: `${is.toFixed(2)} %`, limit };
  const whose = spaceId === undefined ? "" : `${spaceId}: `;
  const message = `${whose}${now.rejected} of ${now.taken + now.rejected} rows were refused`;
  return [refuse("REJECTED_ROWS_ROSE", message, { compared, ...(spaceId === undefined ? {} : { spaceId }) })];
}

/** Rows refused in whole fetches, of all DAOs together and of each, against the version before (empty where there is none). */
export function checkRejectedRows(
  now: readonly FetchedRows[],
  before: readonly FetchedRows[],
  refuse: Refuse,
): readonly GateFinding[] {
  const earlier = bySpace(before);
  return [
    ...findRise(addUp(now), addUp(before), refuse, undefined),
    ...[...bySpace(now)].flatMap(([spaceId, rows]) =>
      findRise(rows, earlier.get(spaceId) ?? NONE, refuse, spaceId),
    ),
  ];
}

const MINUTE_MS = 60_000;

/** When something was fetched: by which source, or for which listing. */
export interface FetchTime {
  readonly what: string;
  readonly fetchedAt: string;
}

/** What the clock has to say. */
export interface TimeInput {
  readonly set: PublishedSet;
  /** Wall time of this run. */
  readonly nowMs: number;
  readonly fetchTimes: readonly FetchTime[];
}

function checkClock(nowMs: number, previous: PreviousVersion | undefined, refuse: Refuse): GateFinding[] {
  if (previous === undefined || nowMs >= Date.parse(previous.createdAt)) return [];
  const [is, was] = [timestampOf(nowMs), previous.createdAt];
  const message = `the clock says ${is}, but the current version was made at ${was}`;
  return [refuse("CLOCK_WENT_BACK", message, { compared: { was, is, limit: `not before ${was}` } })];
}

function checkFuture({ set, nowMs, fetchTimes }: TimeInput, refuse: Refuse): readonly GateFinding[] {
  const listings = set.listings.map(({ spaceId, latest }) => ({
    what: PATHS.latestListing(spaceId),
    fetchedAt: latest.fetched_at,
  }));
  const fetched = [...fetchTimes, ...listings].map(({ what, fetchedAt }) => ({
    what: `${what} was fetched at`,
    at: fetchedAt,
    limitMs: nowMs + GATE_LIMITS.clockSkewMinutes * MINUTE_MS,
  }));
  return [{ what: "as_of is", at: set.asOf, limitMs: nowMs }, ...fetched]
    .filter(({ at, limitMs }) => Date.parse(at) > limitMs)
    .map(({ what, at, limitMs }) =>
      refuse("FUTURE_DATA", `${what} ${at}, but the clock says ${timestampOf(nowMs)}`, {
        compared: { is: at, limit: `not after ${timestampOf(limitMs)}` },
      }),
    );
}

/** A member of the frame that ends after the moment of the version, by the lines that are about to be published. */
function checkFrames({ asOf, evidence }: PublishedSet, refuse: Refuse): readonly GateFinding[] {
  return evidence.flatMap(({ evidence: { space_id: spaceId }, proposals }) =>
    proposals
      .filter(({ place, end_at: endAt }) => place === "MEMBER" && (endAt === null || endAt > asOf))
      .map(({ id, end_at: endAt }) =>
        refuse("FRAME_FROM_FUTURE", `${PATHS.proposals(spaceId)}: ${id} is scored before it ended`, {
          spaceId,
          compared: { is: endAt ?? "unknown", limit: `not after ${asOf}` },
        }),
      ),
  );
}

/** Times that cannot be: a run before the last one, data from the future, scores that rest on what was still to come. */
export function checkTime(
  input: TimeInput,
  previous: PreviousVersion | undefined,
  refuse: Refuse,
): readonly GateFinding[] {
  return [
    ...checkFrames(input.set, refuse),
    ...checkClock(input.nowMs, previous, refuse),
    ...checkFuture(input, refuse),
  ];
}
