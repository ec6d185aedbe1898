import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedEvidence } from "../../snapshots/format/published-set.ts";
import type { FetchedRows, GateInput, PreviousVersion } from "./gate-input.ts";
import { finding, GATE_LIMITS, type GateFinding } from "./gate-rules.ts";

type Rows = Pick<FetchedRows, "taken" | "rejected">;

const NONE: Rows = { taken: 0, rejected: 0 };

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

const sharePct = ({ taken, rejected }: Rows): number =>
  taken + rejected === 0 ? 0 : (100 * rejected) / (taken + rejected);

function findRise(now: Rows, before: Rows, spaceId?: string): readonly GateFinding[] {
  const { rejectedPct, rejectedRisePct, rejectedRowsMin } = GATE_LIMITS;
  const [is, was] = [sharePct(now), sharePct(before)];
  if (now.rejected < rejectedRowsMin || is <= rejectedPct || is <= was + rejectedRisePct) return [];
  const limit = `${rejectedPct} %, or ${rejectedRisePct} point above the version before`;
  const compared = { was: `${was.toFixed(2)} %`, is: `${is.toFixed(2)} %`, limit };
  const message = `${now.rejected} of ${now.taken + now.rejected} rows were rejected`;
  return spaceId === undefined
    ? [finding("REJECTED_ROWS_ROSE", message, { compared })]
    : [finding("REJECTED_ROWS_ROSE", `${spaceId}: ${message}`, { compared, spaceId })];
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
  const now = timestampOf(nowMs);
  const was = previous?.createdAt;
  const wentBack =
    was === undefined || nowMs >= Date.parse(was)
      ? []
      : [
          finding("CLOCK_WENT_BACK", `the clock says ${now}, but the current version was made at ${was}`, {
            compared: { was, is: now, limit: `not before ${was}` },
          }),
        ];
  const fetchedUntilMs = nowMs + GATE_LIMITS.clockSkewMinutes * MINUTE_MS;
  const moments = [
    { what: "as_of is", is: lists.asOf, limitMs: nowMs },
    ...fetchTimes.map(({ what, fetchedAt }) => ({
      what: `${what} was fetched at`,
      is: fetchedAt,
      limitMs: fetchedUntilMs,
    })),
  ];
  const fromFuture = moments
    .filter(({ is, limitMs }) => Date.parse(is) > limitMs)
    .map(({ what, is, limitMs }) =>
      finding("FUTURE_DATA", `${what} ${is}, but the clock says ${now}`, {
        compared: { is, limit: `not after ${timestampOf(limitMs)}` },
      }),
    );
  return [...wentBack, ...fromFuture];
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
