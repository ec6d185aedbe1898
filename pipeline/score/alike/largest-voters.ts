import type { Ballot } from "../frame/ballot.ts";
import { METHODOLOGY } from "../method/methodology.ts";

const { receivers: RECEIVERS } = METHODOLOGY.alikeness;

/** Long enough to sort rarely among many voters, short enough to sort cheaply among few. */
const BUFFER = 512;

/** The smallest of the 100 largest sizes; 0 if there are fewer. */
function sizeOfLast(sizes: Float64Array): number {
  const buffer = new Float64Array(BUFFER);
  let count = 0;
  let least = 0;
  for (let voter = 0; voter < sizes.length; voter += 1) {
    const size = sizes[voter] as number;
    if (size <= least) continue;
    buffer[count] = size;
    count += 1;
    if (count < BUFFER) continue;
    buffer.sort().copyWithin(0, BUFFER - RECEIVERS);
    count = RECEIVERS;
    least = buffer[0] as number;
  }
  if (count < RECEIVERS) return 0;
  return buffer.subarray(0, count).sort()[count - RECEIVERS] as number;
}

interface Ranked {
  readonly voter: number;
  readonly isLabelled: boolean;
  /** Equal for voters that are still tied. */
  group: number;
  share: number;
  choice: number;
}

/** Renumbers groups of tied neighbours; returns `false` if nobody is tied. */
function regroup(ranked: readonly Ranked[], isSame: (one: Ranked, next: Ranked) => boolean): boolean {
  let isTied = false;
  let group = 0;
  const before = ranked.map((entry) => ({ ...entry }));
  for (let index = 1; index < ranked.length; index += 1) {
    if (isSame(before[index - 1] as Ranked, before[index] as Ranked)) isTied = true;
    else group = index;
    (ranked[index] as Ranked).group = group;
  }
  return isTied;
}

/**
 * The 100 largest voters by Σ ω·s, largest first. Ties (to 1e-9) are broken ballot by ballot, by the larger share and
 * then the lower choice, and last in favour of labelled voters. Voters that are still tied are interchangeable.
 */
export function largestVoters(
  ballots: readonly Ballot[],
  sizes: Float64Array,
  isLabelled: (voter: number) => boolean,
): readonly number[] {
  const least = sizeOfLast(sizes);
  let ranked: Ranked[] = [];
  for (let voter = 0; voter < sizes.length; voter += 1) {
    const size = sizes[voter] as number;
    if (size > 0 && size >= least)
      ranked.push({ voter, isLabelled: isLabelled(voter), group: 0, share: size, choice: 0 });
  }
  ranked.sort((a, b) => b.share - a.share);
  let isTied = regroup(ranked, (one, next) => one.share === next.share);
  const placeOf = new Int32Array(isTied ? sizes.length : 0).fill(-1);
  for (const ballot of isTied ? ballots : []) {
    if (!isTied) break;
    ranked.forEach((entry, index) => {
      placeOf[entry.voter] = index;
      entry.share = 0;
      entry.choice = 0;
    });
    for (let index = 0; index < ballot.voters.length; index += 1) {
      const entry = ranked[placeOf[ballot.voters[index] as number] as number];
      if (entry === undefined) continue;
      entry.share = ballot.shares[index] as number;
      entry.choice = ballot.choices[index] as number;
    }
    for (const { voter } of ranked) placeOf[voter] = -1;
    ranked.sort((a, b) => a.group - b.group || b.share - a.share || a.choice - b.choice);
    isTied = regroup(
      ranked,
      (one, next) => one.group === next.group && one.share === next.share && one.choice === next.choice,
    );
    const lastGroup = ranked[RECEIVERS - 1]?.group ?? ranked.length;
    ranked = ranked.filter(({ group }) => group <= lastGroup);
  }
  ranked.sort((a, b) => a.group - b.group || Number(b.isLabelled) - Number(a.isLabelled));
  return ranked.slice(0, RECEIVERS).map(({ voter }) => voter);
}
