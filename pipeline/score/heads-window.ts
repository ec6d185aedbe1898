import { type BallotHeads, createBallotHeadsMemory } from "./ballot-heads.ts";
import type { FrameProposal } from "./frame.ts";
import type { Concentration } from "./measures.ts";
import { seenInDraws } from "./seen-in-draws.ts";

/** Heads counted over the members of a frame. */
export interface CountedHeads {
  /** Σ g over the heads that voted, by place in the members. */
  readonly perProposal: Float64Array;
  /** H(5): heads expected in five draws. */
  readonly expected: number;
  /** Concentration of power, by place in the members. */
  readonly concentrations: readonly (Concentration | undefined)[];
}

/** Counts heads in one frame after another. */
export interface HeadsWindow {
  /** Counts the heads of a frame; nothing is counted again where neither its members nor `headOfVoter` are others than before. */
  count(members: readonly FrameProposal[], headOfVoter: Int32Array): CountedHeads;
  /** Heads of at least half weight over these proposals alone. */
  activeCount(recent: readonly FrameProposal[], headOfVoter: Int32Array): number;
}

/** Whether two frames are the same proposals with the same ω; the frame window makes no new object where nothing changed. */
function isSame(one: readonly FrameProposal[], other: readonly FrameProposal[]): boolean {
  return one.length === other.length && one.every((member, index) => member === other[index]);
}

/** Remembers the last answer, for as long as the same is asked. */
function onlyOnce<Answer>(
  ask: (members: readonly FrameProposal[], headOfVoter: Int32Array) => Answer,
): (members: readonly FrameProposal[], headOfVoter: Int32Array) => Answer {
  let last: { members: readonly FrameProposal[]; headOfVoter: Int32Array; answer: Answer } | undefined;
  return (members, headOfVoter) => {
    if (last === undefined || last.headOfVoter !== headOfVoter || !isSame(last.members, members))
      last = { members, headOfVoter, answer: ask(members, headOfVoter) };
    return last.answer;
  };
}

/** Whether heads weigh the same in both columns. */
function areEqual(heads: Int32Array, weights: Float64Array, others: Float64Array): boolean {
  for (let place = 0; place < heads.length; place += 1) {
    const head = heads[place] ?? 0;
    if (weights[head] !== others[head]) return false;
  }
  return true;
}

/** H(5), summed in ascending order. Most heads weigh fully and share their attendance with many: looked at once for all of them. */
function expectedOf(attention: Float64Array, weights: Float64Array, attentionSum: number): number {
  const fullHeads = new Map<number, number>();
  const terms: { readonly term: number; readonly count: number }[] = [];
  for (let head = 0; head < attention.length; head += 1) {
    const own = attention[head] ?? 0;
    const weight = weights[head] ?? 0;
    if (own === 0) continue;
    if (weight === 1) fullHeads.set(own, (fullHeads.get(own) ?? 0) + 1);
    else terms.push({ term: weight * seenInDraws(own / attentionSum), count: 1 });
  }
  for (const [own, count] of fullHeads) terms.push({ term: seenInDraws(own / attentionSum), count });
  terms.sort((a, b) => a.term - b.term);
  let sum = 0;
  for (const { term, count } of terms) for (let head = 0; head < count; head += 1) sum += term;
  return sum;
}

/** A window over ballots of voters 0..n−1. It remembers the heads of every ballot it has seen: 12 bytes a vote. */
export function createHeadsWindow(votersCount: number): HeadsWindow {
  const ballots = createBallotHeadsMemory(votersCount);
  const scratch = new Float64Array(votersCount);
  /** Over the proposals on which each head voted: Σω, and g where it did. */
  const weigh = (members: readonly FrameProposal[], headOfVoter: Int32Array) => {
    ballots.merge(headOfVoter);
    const attention = new Float64Array(votersCount);
    const weights = new Float64Array(votersCount);
    for (const { votes, attention: omega } of members) {
      const { heads, weights: ownWeights } = ballots.of(votes);
      // Plain loops: this is done for every vote of every frame.
      for (let place = 0; place < heads.length; place += 1) {
        const head = heads[place] ?? 0;
        attention[head] = (attention[head] ?? 0) + omega;
        const weight = ownWeights === undefined ? omega : omega * (ownWeights[place] ?? 0);
        weights[head] = (weights[head] ?? 0) + weight;
      }
    }
    for (let head = 0; head < votersCount; head += 1) {
      const sum = attention[head] ?? 0;
      if (sum > 0) weights[head] = (weights[head] ?? 0) / sum;
    }
    return { attention, weights };
  };

  /** Sum of the weights of a ballot's heads in ascending order: few are left to sort, and the full ones come last. */
  const sumOf = (heads: Int32Array, weights: Float64Array): number => {
    let partial = 0;
    for (let place = 0; place < heads.length; place += 1) {
      const weight = weights[heads[place] ?? 0] ?? 0;
      if (weight === 1) continue;
      scratch[partial] = weight;
      partial += 1;
    }
    let sum = 0;
    if (partial > 0) for (const weight of scratch.subarray(0, partial).sort()) sum += weight;
    for (let full = partial; full < heads.length; full += 1) sum += 1;
    return sum;
  };

  /** Of the last count: weights, and sums by the heads of each ballot. */
  let lastWeights: Float64Array = new Float64Array(votersCount);
  let lastSums = new Map<BallotHeads, number>();

  /** A ballot none of whose heads weighs anything else than in the last frame keeps its sum. */
  const sumsOf = (members: readonly FrameProposal[], weights: Float64Array): Float64Array => {
    const sums = new Map<BallotHeads, number>();
    const perProposal = Float64Array.from(members, ({ votes }) => {
      const own = ballots.of(votes);
      const known = lastSums.get(own);
      const isKept = known !== undefined && areEqual(own.heads, weights, lastWeights);
      const sum = isKept ? known : sumOf(own.heads, weights);
      sums.set(own, sum);
      return sum;
    });
    lastWeights = weights;
    lastSums = sums;
    return perProposal;
  };

  const countAnew = (members: readonly FrameProposal[], headOfVoter: Int32Array): CountedHeads => {
    const { attention, weights } = weigh(members, headOfVoter);
    const attentionSum = members.reduce((sum, member) => sum + member.attention, 0);
    return {
      perProposal: sumsOf(members, weights),
      expected: expectedOf(attention, weights, attentionSum),
      concentrations: members.map(({ votes }) => ballots.of(votes).concentration),
    };
  };

  const countActive = (recent: readonly FrameProposal[], headOfVoter: Int32Array): number =>
    weigh(recent, headOfVoter).weights.reduce((count, weight) => (weight >= 0.5 ? count + 1 : count), 0);

  return { count: onlyOnce(countAnew), activeCount: onlyOnce(countActive) };
}
