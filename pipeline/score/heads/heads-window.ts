import type { FrameProposal } from "../frame/frame.ts";
import type { Concentration } from "../method/measures.ts";
import { sortedSum } from "../method/statistics.ts";
import { createHeadWeigher, type HeadWeigher, type HeadWeights, type WeighedVotes } from "./head-weights.ts";
import { createVotesHeadsMemory, type VotesHeads } from "./heads.ts";

/** Counts the heads that voted on one list of ballots after another. */
interface HeadPresence {
  /** Heads that voted on any of these ballots; only those that came or went are looked at. */
  count(ballots: readonly VotesHeads[]): number;
}

/** A counter that has seen no ballot, for heads 0..n−1. */
function createHeadPresence(headsCount: number): HeadPresence {
  const votesOf = new Int32Array(headsCount);
  let last: ReadonlySet<VotesHeads> = new Set();
  let presentCount = 0;

  // Both run over every vote that comes or goes; heads are inside of the column.
  const enter = ({ heads }: VotesHeads): void => {
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] as number;
      if (votesOf[head] === 0) presentCount += 1;
      votesOf[head] = (votesOf[head] as number) + 1;
    }
  };
  const leave = ({ heads }: VotesHeads): void => {
    for (let place = 0; place < heads.length; place += 1) {
      const head = heads[place] as number;
      votesOf[head] = (votesOf[head] as number) - 1;
      if (votesOf[head] === 0) presentCount -= 1;
    }
  };

  return {
    count(ballots) {
      const next = new Set(ballots);
      for (const ballot of last) if (!next.has(ballot)) leave(ballot);
      for (const ballot of next) if (!last.has(ballot)) enter(ballot);
      last = next;
      return presentCount;
    },
  };
}

/** Heads counted over the members of a frame. */
interface CountedHeads {
  /** Σ g over the heads that voted, by place in the members. */
  readonly perProposal: Float64Array;
  /** H(5): heads expected in five draws. */
  readonly expected: number;
  /** Concentration of power, by place in the members. */
  readonly concentrations: readonly (Concentration | undefined)[];
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

/** Sum of the weights of a ballot's heads in ascending order: few are left to sort, and the full ones come last. */
function sumOfWeights(heads: Int32Array, weights: Float64Array): number {
  const partial: number[] = [];
  // Over every vote of every frame that changed; heads are inside of the column.
  for (let place = 0; place < heads.length; place += 1) {
    const weight = weights[heads[place] as number] as number;
    if (weight !== 1) partial.push(weight);
  }
  let sum = sortedSum(partial);
  for (let full = partial.length; full < heads.length; full += 1) sum += 1;
  return sum;
}

function isAnyOther(heads: Int32Array, isOther: Uint8Array): boolean {
  for (let place = 0; place < heads.length; place += 1)
    if (isOther[heads[place] as number] === 1) return true;
  return false;
}

/** A window over ballots of voters 0..n−1. It remembers the heads of every ballot it has seen: at most 12 bytes a vote. */
export function createHeadsWindow(votersCount: number) {
  const ballots = createVotesHeadsMemory(votersCount);
  const weighed = new WeakMap<FrameProposal, WeighedVotes>();
  // Made when they are asked for: a weigher takes up to 38 bytes a voter, and most DAOs never need the second pair of them.
  let inFrame: HeadWeigher | undefined;
  let inRecent: HeadWeigher | undefined;
  let present: HeadPresence | undefined;
  let lastSums = new Map<VotesHeads, number>();

  const weighedOf = (member: FrameProposal): WeighedVotes => {
    const heads = ballots.of(member.votes);
    const known = weighed.get(member);
    if (known?.heads === heads) return known;
    const ballot = { attention: member.attention, heads };
    weighed.set(member, ballot);
    return ballot;
  };

  /** A ballot none of whose heads weighs anything else than in the last frame keeps its sum. */
  const sumsOf = (members: readonly WeighedVotes[], found: HeadWeights): Float64Array => {
    const { weights, isOther, othersCount } = found;
    const sums = new Map<VotesHeads, number>();
    for (const { heads } of members) {
      const known = lastSums.get(heads);
      const isKept = known !== undefined && (othersCount === 0 || !isAnyOther(heads.heads, isOther));
      sums.set(heads, isKept ? known : sumOfWeights(heads.heads, weights));
    }
    lastSums = sums;
    return Float64Array.from(members, ({ heads }) => sums.get(heads) ?? 0);
  };

  /** Counts the heads of a frame; nothing is counted again where neither its members nor `headOfVoter` are others than before. */
  const count = (members: readonly FrameProposal[], headOfVoter: Int32Array): CountedHeads => {
    ballots.merge(headOfVoter);
    const own = members.map(weighedOf);
    inFrame ??= createHeadWeigher(votersCount);
    const found = inFrame.weigh(own);
    const attentionSum = members.reduce((sum, member) => sum + member.attention, 0);
    return {
      perProposal: sumsOf(own, found),
      expected: found.expected(attentionSum),
      concentrations: own.map(({ heads }) => heads.concentration),
    };
  };

  /** Heads of at least half weight over these proposals alone. */
  const activeCount = (recent: readonly FrameProposal[], headOfVoter: Int32Array): number => {
    ballots.merge(headOfVoter);
    const own = recent.map(weighedOf);
    // Where every head weighs fully, whoever voted is active, whatever the proposals' ω.
    if (own.every(({ heads }) => heads.weights === undefined)) {
      present ??= createHeadPresence(votersCount);
      return present.count(own.filter(({ attention }) => attention > 0).map(({ heads }) => heads));
    }
    inRecent ??= createHeadWeigher(votersCount);
    return inRecent.weigh(own).activeCount;
  };

  return { count: onlyOnce(count), activeCount: onlyOnce(activeCount) };
}
