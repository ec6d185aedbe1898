import { METHODOLOGY } from "../method/methodology.ts";
import type { VotesHeads } from "./heads.ts";
import { createValueCounts } from "./value-counts.ts";

/** How likely a head that is there so often (π, 0–1) is seen at least once in five draws of proposals. */
export function seenInDraws(attendance: number): number {
  return 1 - (1 - attendance) ** METHODOLOGY.participation.rarefactionDraws;
}

/** A proposal's ω and the heads that voted on it; the same object for as long as both are the same. */
export interface WeighedVotes {
  readonly attention: number;
  readonly heads: VotesHeads;
}

/** Heads over some proposals; the columns are by head and written over by the next call. */
export interface HeadWeights {
  /** g, 0–1; 0 for who did not vote. */
  readonly weights: Float64Array;
  /** 1 where g is another than after the call before, of heads that voted on proposals of both. */
  readonly isOther: Uint8Array;
  readonly othersCount: number;
  /** Heads whose g is at least ½. */
  readonly activeCount: number;
  /** H(5) of proposals with such a Σω, summed in ascending order. */
  expected(attentionSum: number): number;
}

/** Weighs heads over one list of proposals after another. */
export interface HeadWeigher {
  /** By (end, id). Only heads of proposals that came, went or changed are added up again, each from its first proposal on. */
  weigh(ballots: readonly WeighedVotes[]): HeadWeights;
}

const TOUCHED = { absentBefore: 1, presentBefore: 2 } as const;

/** A weigher that has seen no proposal, for heads 0..n−1. */
export function createHeadWeigher(headsCount: number): HeadWeigher {
  /** Σω of the proposals on which each head voted; 0 where it did not vote. */
  const attention = new Float64Array(headsCount);
  /** The same with what each head weighs on each; made where one weighs less than fully, as up to then both are the same. */
  let sums: Float64Array | undefined;
  const weights = new Float64Array(headsCount);
  const isOther = new Uint8Array(headsCount);
  const isTouched = new Uint8Array(headsCount);
  const touched = new Int32Array(headsCount);
  let touchedCount = 0;
  let othersCount = 0;
  let activeCount = 0;
  /** Σω of the heads that weigh fully, most of them; many have the same. */
  const full = createValueCounts();
  const ticketOf = new Int32Array(headsCount);
  const partial = new Set<number>();
  let last: ReadonlySet<WeighedVotes> = new Set();

  // Plain loops from here on, and no look at what an index holds but where it may hold nothing: they run over every vote of
  // every frame, and heads are inside of the columns.
  const forget = (head: number): void => {
    const weight = weights[head] as number;
    if (weight === 1) full.takeOut(ticketOf[head] as number);
    else partial.delete(head);
    if (weight >= 0.5) activeCount -= 1;
  };
  const touch = (head: number): void => {
    const isPresent = (attention[head] as number) > 0;
    if (isPresent) forget(head);
    isTouched[head] = isPresent ? TOUCHED.presentBefore : TOUCHED.absentBefore;
    touched[touchedCount] = head;
    touchedCount += 1;
  };
  const startAnew = ({ heads: { heads } }: WeighedVotes): void => {
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] as number;
      if (isTouched[head] !== 0) continue;
      touch(head);
      attention[head] = 0;
      if (sums !== undefined) sums[head] = 0;
    }
  };
  const addUp = (ballot: WeighedVotes, isLast: boolean): void => {
    const { attention: omega } = ballot;
    const { heads, weights: own } = ballot.heads;
    if (own !== undefined) sums ??= attention.slice();
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] as number;
      if (isTouched[head] === 0) {
        if (!isLast) continue;
        touch(head);
      }
      attention[head] = (attention[head] as number) + omega;
      if (sums !== undefined)
        sums[head] = (sums[head] as number) + (own === undefined ? omega : omega * (own[place] as number));
    }
  };
  const settle = (head: number): void => {
    const sum = attention[head] as number;
    const weight = sum > 0 ? (sums === undefined ? 1 : (sums[head] as number) / sum) : 0;
    // Who came or went is in no proposal that stayed.
    if (sum > 0 && isTouched[head] === TOUCHED.presentBefore && weight !== weights[head]) {
      isOther[head] = 1;
      othersCount += 1;
    }
    weights[head] = weight;
    isTouched[head] = 0;
    if (sum === 0) return;
    if (weight === 1) ticketOf[head] = full.add(sum);
    else partial.add(head);
    if (weight >= 0.5) activeCount += 1;
  };

  const expected = (attentionSum: number): number => {
    const { values, counts } = full.ascending();
    const ofFull = values.map((own) => seenInDraws(own / attentionSum));
    const ofPartial = Float64Array.from(
      partial,
      (head) => (weights[head] as number) * seenInDraws((attention[head] as number) / attentionSum),
    ).sort();
    return sumAscending(ofFull, counts, ofPartial);
  };

  return {
    weigh(ballots) {
      const next = new Set(ballots);
      if (othersCount > 0) isOther.fill(0);
      othersCount = 0;
      const kept = ballots.filter((ballot) => last.has(ballot));
      // What comes after all that stayed is added to what stands: the sum is that of starting anew.
      const isAppended = kept.every((ballot, place) => ballot === ballots[place]);
      for (const ballot of last) if (!next.has(ballot)) startAnew(ballot);
      if (!isAppended) for (const ballot of ballots) if (!last.has(ballot)) startAnew(ballot);
      if (touchedCount > 0) for (const ballot of isAppended ? kept : ballots) addUp(ballot, false);
      if (isAppended) for (const ballot of ballots.slice(kept.length)) addUp(ballot, true);
      for (let at = 0; at < touchedCount; at += 1) settle(touched[at] as number);
      touchedCount = 0;
      last = next;
      return { weights, isOther, othersCount, activeCount, expected };
    },
  };
}

/** Sum of terms that are there so often, and of single ones, in ascending order: what a sum over all of them sorted gives to the bit. */
function sumAscending(terms: Float64Array, counts: Int32Array, single: Float64Array): number {
  // Terms rise with what they are made of, but for the last digit of a power; where that digit disagrees they are sorted.
  if (terms.some((term, place) => place > 0 && term < (terms[place - 1] as number))) {
    const inOrder = Array.from(terms, (term, place) => ({ term, count: counts[place] as number }));
    inOrder.sort((a, b) => a.term - b.term);
    return sumAscending(
      Float64Array.from(inOrder, ({ term }) => term),
      Int32Array.from(inOrder, ({ count }) => count),
      single,
    );
  }
  let sum = 0;
  let at = 0;
  for (let place = 0; place < terms.length; place += 1) {
    const term = terms[place] as number;
    for (; at < single.length && (single[at] as number) < term; at += 1) sum += single[at] as number;
    for (let head = counts[place] as number; head > 0; head -= 1) sum += term;
  }
  for (; at < single.length; at += 1) sum += single[at] as number;
  return sum;
}
