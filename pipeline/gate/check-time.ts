import { timestampOf } from "../../snapshots/format/ids.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import type { GateFinding } from "./gate-finding.ts";
import { GATE_LIMITS } from "./gate-rules.ts";
import type { PreviousVersion } from "./previous-version.ts";
import type { Refuse } from "./refuse-unless.ts";

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
