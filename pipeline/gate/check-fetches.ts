import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { FetchedRows, GateInput, PreviousVersion } from "./gate-input.ts";
import { finding, GATE_LIMITS, type GateFinding } from "./gate-rules.ts";

type Rows = Pick<FetchedRows, "taken" | "rejected">;

const NONE: Rows = { taken: 0, rejected: 0 };

const sharePct = ({ taken, rejected }: Rows): number =>
  taken + rejected === 0 ? 0 : (100 * rejected) / (taken + rejected);

const addUp = (rows: readonly Rows[]): Rows =>
  rows.reduce(
    (sum, { taken, rejected }) => ({ taken: sum.taken + taken, rejected: sum.rejected + rejected }),
    NONE,
  );

/** Rows by space_id, summed because a DAO may be fetched from several sources. */
function bySpace(rows: readonly FetchedRows[]): ReadonlyMap<string, Rows> {
  const sums = new Map<string, Rows>();
  for (const row of rows) sums.set(row.spaceId, addUp([sums.get(row.spaceId) ?? NONE, row]));
  return sums;
}

function findRise(now: Rows, before: Rows, spaceId?: string): readonly GateFinding[] {
  const { rejectedPct, rejectedRisePct, rejectedRowsMin } = GATE_LIMITS;
  const [is, was] = [sharePct(now), sharePct(before)];
  if (now.rejected < rejectedRowsMin || is <= rejectedPct || is <= was + rejectedRisePct) return [];
  const limit = `${rejectedPct} %, or ${rejectedRisePct} point above the version before`;
  const compared = { was: `${was.toFixed(2)} %`, is: `${is.toFixed(2)} %`, limit };
  const subject = spaceId === undefined ? "" : `${spaceId}: `;
  const message = `${subject}${now.rejected} of ${now.taken + now.rejected} rows were rejected`;
  return [
    finding("REJECTED_ROWS_ROSE", message, { compared, ...(spaceId === undefined ? {} : { spaceId }) }),
  ];
}

/** Compares the rows rejected in complete fetches, in total and per DAO, with the previous version (empty if none). */
export function checkRejectedRows(
  now: readonly FetchedRows[],
  before: readonly FetchedRows[],
): readonly GateFinding[] {
  const earlier = bySpace(before);
  return [
    ...findRise(addUp(now), addUp(before)),
    ...[...bySpace(now)].flatMap(([spaceId, rows]) => findRise(rows, earlier.get(spaceId) ?? NONE, spaceId)),
  ];
}

const MINUTE_MS = 60_000;

/** Checks for impossible times: a run earlier than the previous one, and data from the future. */
export function checkTime(
  { lists, nowMs, fetchTimes }: Pick<GateInput, "lists" | "nowMs" | "fetchTimes">,
  previous: PreviousVersion | undefined,
): readonly GateFinding[] {
  return [...checkClock(nowMs, previous), ...checkFuture(lists.asOf, nowMs, fetchTimes)];
}

function checkClock(nowMs: number, previous: PreviousVersion | undefined): GateFinding[] {
  if (previous === undefined || nowMs >= Date.parse(previous.createdAt)) return [];
  const [is, was] = [timestampOf(nowMs), previous.createdAt];
  const message = `the clock says ${is}, but the current version was made at ${was}`;
  return [finding("CLOCK_WENT_BACK", message, { compared: { was, is, limit: `not before ${was}` } })];
}

function checkFuture(
  asOf: string,
  nowMs: number,
  fetchTimes: GateInput["fetchTimes"],
): readonly GateFinding[] {
  const fetched = fetchTimes.map(({ what, fetchedAt }) => ({
    what: `${what} was fetched at`,
    at: fetchedAt,
    limitMs: nowMs + GATE_LIMITS.clockSkewMinutes * MINUTE_MS,
  }));
  return [{ what: "as_of is", at: asOf, limitMs: nowMs }, ...fetched]
    .filter(({ at: moment, limitMs }) => Date.parse(moment) > limitMs)
    .map(({ what, at: moment, limitMs }) =>
      finding("FUTURE_DATA", `${what} ${moment}, but the clock says ${timestampOf(nowMs)}`, {
        compared: { is: moment, limit: `not after ${timestampOf(limitMs)}` },
      }),
    );
}

/** Finds members of the frame that end after the moment of the version, in the lines that will be published. */
export function checkFrame(
  { evidence: { space_id: spaceId }, proposals }: PublishedEvidence,
  asOf: string,
): readonly GateFinding[] {
  return proposals
    .filter(({ place, end_at: endAt }) => place === "MEMBER" && (endAt === null || endAt > asOf))
    .map(({ id, end_at: endAt }) =>
      finding("FRAME_FROM_FUTURE", `${PATHS.proposals(spaceId)}: ${id} is scored before it ended`, {
        spaceId,
        compared: { is: endAt ?? "unknown", limit: `not after ${asOf}` },
      }),
    );
}
