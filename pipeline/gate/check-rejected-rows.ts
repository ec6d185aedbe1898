import type { GateFinding } from "./gate-finding.ts";
import { GATE_LIMITS } from "./gate-rules.ts";
import type { FetchedRows } from "./previous-version.ts";
import type { Refuse } from "./refuse-unless.ts";

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
