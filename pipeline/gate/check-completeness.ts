import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/numbers.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import type { GateFinding } from "./gate-finding.ts";
import { GATE_LIMITS } from "./gate-rules.ts";
import { isComparable, type PreviousVersion } from "./previous-version.ts";
import type { Refuse } from "./refuse-unless.ts";

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
  const ofAll =
    lost(mean) > completenessMeanFallPct
      ? [
          refuse(
            "COMPLETENESS_FELL",
            `the mean completeness of ${changes.length} DAOs fell from ${compared.was} to ${compared.is}`,
            { compared },
          ),
        ]
      : [];
  const ofEach = changes
    .filter((change) => lost(change) > completenessFallPct)
    .map((change) => {
      const own = comparedOf(change, completenessFallPct);
      const message = `${change.spaceId}: completeness fell from ${own.was} to ${own.is}`;
      return refuse("COMPLETENESS_FELL", message, { spaceId: change.spaceId, compared: own });
    });
  return [...ofAll, ...ofEach];
}
