import { expect } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import type { Choice, ProposalVotes } from "../../../pipeline/facts/proposal-votes.ts";
import type { DaoScore } from "../../../pipeline/score/score-measures.ts";
import { COMPONENT_KEYS, captureRiskOf } from "../../../snapshots/format/value-sets.ts";

// Methodology 3.0 written down a second time, for small DAOs, with no thought of speed (but that real DAOs come through) and
// nothing of the first, with which only the last function compares it.

const DAY = 86_400_000;

/** Two ends. */
type Ends = readonly [low: number, high: number];

interface PlainVote {
  readonly wallet: number;
  readonly voter: string;
  readonly power: number | undefined;
  readonly atMs: number | undefined;
  readonly choiceIndex: number;
  readonly choice: Choice;
  readonly reason: boolean | undefined;
}

interface PlainMember {
  readonly proposal: Proposal;
  readonly end: number;
  readonly S: number | undefined;
  readonly scale: number | undefined;
  readonly omega: number;
  readonly w: number;
  readonly r: number;
  /** Of known power. */
  readonly votes: readonly PlainVote[];
  readonly shares: ReadonlyMap<string, number>;
  readonly choiceOf: ReadonlyMap<string, number>;
}

const unit = (x: number): number => Math.min(1, Math.max(0, x));
const sum = (values: Iterable<number>): number =>
  [...values].sort((a, b) => a - b).reduce((a, b) => a + b, 0);

function groupBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), []);
  for (const item of items) groups.get(keyOf(item))?.push(item);
  return groups;
}

function median(items: readonly { readonly value: number; readonly weight: number }[]): number | undefined {
  const half = sum(items.map((item) => item.weight)) / 2;
  const values = items.map((item) => item.value).sort((a, b) => a - b);
  return values.find(
    (value) =>
      sum(items.filter((item) => item.value <= value).map((item) => item.weight)) >= half - 1e-9 * half,
  );
}

function validVotes(facts: DaoFacts, votes: ProposalVotes): PlainVote[] {
  return [...votes.voterIds].flatMap((wallet, row) => {
    const flags = votes.flags[row] ?? 0;
    const power = flags & 1 ? votes.powers[row] : undefined;
    if (flags & 32 || flags & 64 || power === 0) return [];
    const choiceIndex = votes.choiceIndexes[row] ?? 0;
    return [
      {
        wallet,
        voter: facts.entityIdOfVoter.get(wallet) ?? `wallet ${wallet}`,
        power,
        atMs: flags & 2 ? (votes.timesS[row] ?? 0) * 1000 : undefined,
        choiceIndex,
        choice: votes.choices[choiceIndex] as Choice,
        reason: flags & 128 ? (flags & 8) !== 0 : undefined,
      },
    ];
  });
}

function isEligible(proposal: Proposal, t: number): boolean {
  const { end, state, scoresState, isDeleted, isFlagged } = proposal;
  if (end === undefined || end.atMs > t || isDeleted || isFlagged) return false;
  if (state === "active" || state === "pending" || state === "cancelled") return false;
  return scoresState === undefined || scoresState === "final";
}

/** S of a proposal. */
function cast(facts: DaoFacts, proposal: Proposal): number | undefined {
  const votes = facts.ballots.get(proposal.proposalId);
  if (proposal.scoresTotal !== undefined) return proposal.scoresTotal;
  if (votes === undefined) return proposal.votesCount === 0 ? 0 : undefined;
  const isKnown = votes.count > 0 && votes.flags.every((flags) => flags & 1);
  return isKnown ? sum(votes.powers) : undefined;
}

function fetchedPart(facts: DaoFacts, proposal: Proposal): number {
  const votes = facts.ballots.get(proposal.proposalId);
  if (votes === undefined) return 0;
  const power = sum(validVotes(facts, votes).map((vote) => vote.power ?? 0));
  if (power === 0) return 0;
  if (proposal.scoresTotal !== undefined) return Math.min(1, power / proposal.scoresTotal);
  const known = votes.flags.filter((flags) => flags & 1).length;
  return known / Math.max(votes.count, proposal.votesCount ?? 0);
}

function frameOf(facts: DaoFacts, t: number) {
  const eligible = facts.proposals.filter((proposal) => isEligible(proposal, t));
  const recent = eligible
    .filter((proposal) => (proposal.end?.atMs ?? 0) > t - 730 * DAY)
    .map((proposal) => ({ proposal, end: proposal.end?.atMs ?? 0, S: cast(facts, proposal) }));
  const scales = new Map(
    [...groupBy(recent, ({ proposal }) => proposal.strategiesKey)].map(([strategies, unitOf]) => {
      const powers = unitOf.flatMap(({ S }) => (S !== undefined && S > 0 ? [S] : []));
      const largest = powers.sort((a, b) => b - a).slice(0, 50);
      return [strategies, median(largest.map((power) => ({ value: power, weight: power })))];
    }),
  );
  const attended = recent.flatMap(({ proposal, end, S }): PlainMember[] => {
    const scale = scales.get(proposal.strategiesKey);
    const omega = S === undefined ? 1 : scale === undefined ? 0 : unit((S / scale - 0.25) / 0.75);
    if (omega === 0) return [];
    const ballot = facts.ballots.get(proposal.proposalId);
    const votes = ballot ? validVotes(facts, ballot).filter((vote) => vote.power !== undefined) : [];
    const total = sum(votes.map((vote) => vote.power ?? 0));
    const ofVoter = groupBy(votes, (vote) => vote.voter);
    const voters = [...ofVoter.keys()];
    const own = (voter: string) => [...(ofVoter.get(voter) ?? [])];
    return [
      {
        proposal,
        end,
        S,
        scale,
        omega,
        w: omega * (1 - (t - end) / DAY / 730),
        r: fetchedPart(facts, proposal),
        votes,
        shares: new Map(
          voters.map((voter) => [voter, sum(own(voter).map((vote) => vote.power ?? 0)) / total]),
        ),
        choiceOf: new Map(
          voters.map((voter) => {
            const [first] = own(voter).sort(
              (a, b) => (b.power ?? 0) - (a.power ?? 0) || a.choiceIndex - b.choiceIndex,
            );
            return [voter, first?.choiceIndex ?? 0];
          }),
        ),
      },
    ];
  });
  const members = familiar(facts, eligible, attended);
  const older = eligible.length - recent.length;
  return { members, eligible: older + members.length };
}

/** The first members whose weights add up to ten, with their weights. */
function firstTen(items: readonly { readonly member: PlainMember; readonly weight: number }[]) {
  let missing = 10;
  return items.flatMap(({ member, weight }) => {
    const counted = Math.min(weight, missing);
    missing -= counted;
    return counted > 0 ? [{ c: capped(member.shares), weight: counted }] : [];
  });
}

type Counted = ReturnType<typeof firstTen>;
const wholeOf = (items: Counted): number => sum(items.map(({ weight }) => weight));

function meanShares(items: Counted): ReadonlyMap<string, number> {
  const voters = new Set(items.flatMap(({ c }) => [...c.keys()]));
  const whole = wholeOf(items);
  return new Map(
    [...voters].map((voter) => [
      voter,
      sum(items.map(({ c, weight }) => weight * (c.get(voter) ?? 0))) / whole,
    ]),
  );
}

const common = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number =>
  sum([...a].map(([voter, share]) => Math.min(share, b.get(voter) ?? 0)));

/** The members, each with as much attention as its unit's voters are the DAO's own. */
function familiar(
  facts: DaoFacts,
  eligible: readonly Proposal[],
  members: readonly PlainMember[],
): PlainMember[] {
  const keyOf = ({ strategiesKey = "" }: Proposal): string => strategiesKey;
  const isVoted = (proposal: Proposal): boolean =>
    validVotes(facts, facts.ballots.get(proposal.proposalId) as ProposalVotes).some(({ power }) => power);
  const started = new Map<string, number>();
  eligible.forEach((proposal, at) => {
    const isFirst = !started.has(keyOf(proposal));
    if (isFirst && facts.ballots.has(proposal.proposalId) && isVoted(proposal))
      started.set(keyOf(proposal), at);
  });
  const voted = members
    .filter(({ votes }) => votes.length > 0)
    .map((member) => ({ member, key: keyOf(member.proposal), at: eligible.indexOf(member.proposal) }));
  const continuity = new Map<string, number>();
  const continuityOf = (key: string): number => {
    const start = started.get(key) ?? -1;
    const before = voted.filter(({ at }) => at < start).toReversed();
    const earlier = firstTen(
      before.map(({ member, key: other }) => ({
        member,
        weight: member.omega * (continuity.get(other) ?? 1),
      })),
    );
    const own = firstTen(
      voted.filter((each) => each.key === key).map(({ member }) => ({ member, weight: member.omega })),
    );
    const trust = unit(wholeOf(earlier) - 1);
    if (trust === 0 || own.length === 0) return 1;
    const usual =
      sum(
        earlier.map((one) => {
          const others = earlier.filter((other) => other !== one);
          return one.weight * common(one.c, meanShares(others));
        }),
      ) / wholeOf(earlier);
    if (usual < 1e-6) return 1;
    return 1 - trust * (1 - unit((common(meanShares(earlier), meanShares(own)) / usual - 0.1) / 0.15));
  };
  // In the order of their first ballots.
  for (const key of started.keys()) continuity.set(key, continuityOf(key));
  return members.flatMap((member) => {
    const part = continuity.get(keyOf(member.proposal)) ?? 1;
    return part === 0 ? [] : [{ ...member, omega: part * member.omega, w: part * member.w }];
  });
}

/** Which part of a vote each option gets. */
function partsOf(choice: Choice): ReadonlyMap<number, number> {
  if (choice.kind === "unreadable") return new Map();
  if (choice.kind === "single") return new Map([[choice.option, 1]]);
  if (choice.kind === "list")
    return new Map(choice.options.map((option) => [option, 1 / choice.options.length]));
  const whole = sum(choice.weights.map(([, weight]) => weight));
  return new Map(choice.weights.map(([option, weight]) => [option, whole === 0 ? 0 : weight / whole]));
}

/** By option, its part of the power for any side, where some may abstain. */
function sidesOf({ proposal: { votingType }, votes }: PlainMember): ReadonlyMap<number, number> {
  if (votingType !== "basic" && votingType !== "fractional") return new Map();
  const powers = new Map<number, number>();
  for (const { power = 0, choice } of votes)
    for (const [option, part] of partsOf(choice))
      if (option !== 3) powers.set(option, (powers.get(option) ?? 0) + power * part);
  const whole = sum(powers.values());
  return new Map(whole === 0 ? [] : [...powers].map(([option, power]) => [option, power / whole]));
}

/** The parts of a vote, what abstains divided among the sides. */
function sidedPartsOf(choice: Choice, sides: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const parts = new Map(partsOf(choice));
  const abstained = parts.get(3);
  if (choice.kind === "list" || abstained === undefined || sides.size === 0) return parts;
  parts.delete(3);
  for (const [option, part] of sides) parts.set(option, (parts.get(option) ?? 0) + abstained * part);
  return parts;
}

/** How far two votes on a proposal agree. */
function agreement(
  type: Proposal["votingType"],
  sides: ReadonlyMap<number, number>,
  one: Choice,
  other: Choice,
): number {
  if (one === other) return 1;
  const [a, b] = [sidedPartsOf(one, sides), sidedPartsOf(other, sides)];
  const options = [...new Set([...a.keys(), ...b.keys()])];
  if (one.kind !== "list" || other.kind !== "list")
    return unit(sum(options.map((option) => Math.min(a.get(option) ?? 0, b.get(option) ?? 0))));
  const sharedPart = options.filter((option) => a.has(option) && b.has(option)).length / options.length;
  const isSameFirst = one.options[0] === other.options[0] ? 1 : 0;
  if (type === "approval") return sharedPart;
  return type === "ranked-choice" || type === "copeland" ? isSameFirst : Math.max(sharedPart, isSameFirst);
}

/** Shares of each member with power after whoever votes alike was merged. */
function merged(facts: DaoFacts, members: readonly PlainMember[]): ReadonlyMap<string, number>[] {
  const labels = new Set(facts.entityIdOfVoter.values());
  const everybody = [...new Set(members.flatMap(({ shares }) => [...shares.keys()]))];
  const sizeOf = (voter: string) =>
    Math.round(
      members.reduce((total, { omega, shares }) => total + omega * (shares.get(voter) ?? 0), 0) / 1e-9,
    );
  const sizes = new Map(everybody.map((voter) => [voter, sizeOf(voter)]));
  // Larger first; of equals by their records, ballot by ballot: the larger share, the first choice; then the labelled.
  const larger = (a: string, b: string): number => {
    const bySize = (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0);
    if (bySize !== 0) return bySize;
    for (const { shares, choiceOf } of members) {
      const byShare = (shares.get(b) ?? 0) - (shares.get(a) ?? 0);
      const byChoice = (choiceOf.get(a) ?? 0) - (choiceOf.get(b) ?? 0);
      if (byShare !== 0 || byChoice !== 0) return byShare || byChoice;
    }
    return Number(labels.has(b)) - Number(labels.has(a));
  };
  const ordered = [...everybody].sort(larger);
  const receivers = ordered.filter((voter) => (sizes.get(voter) ?? 0) > 0).slice(0, 100);
  const there = new Map<string, PlainMember[]>(everybody.map((voter) => [voter, []]));
  for (const member of members) for (const voter of member.choiceOf.keys()) there.get(voter)?.push(member);
  const attended = new Map([...there].map(([voter, own]) => [voter, sum(own.map(({ omega }) => omega))]));
  const sides = new Map(members.map((member) => [member.proposal, sidesOf(member)]));
  const alikeness = (a: string, b: string): number => {
    const both = (there.get(a) ?? []).filter(({ choiceOf }) => choiceOf.has(b));
    const agreed = both.map(({ proposal, omega, choiceOf }) => {
      const choices = facts.ballots.get(proposal.proposalId)?.choices ?? [];
      const [one, other] = [choices[choiceOf.get(a) ?? 0], choices[choiceOf.get(b) ?? 0]];
      if (one === undefined || other === undefined) return 0;
      return omega * agreement(proposal.votingType, sides.get(proposal) ?? new Map(), one, other);
    });
    const either = (attended.get(a) ?? 0) + (attended.get(b) ?? 0) - sum(both.map(({ omega }) => omega));
    return sum(agreed) / (either + 5);
  };
  const passing = ordered.flatMap((voter, rank) => {
    if (labels.has(voter)) return [];
    const others = receivers.slice(0, Math.min(rank, receivers.length));
    const found = others.map((other) => ({ other, j: alikeness(voter, other) }));
    const most = Math.max(0, ...found.map(({ j }) => j));
    const to = found.find(({ j }) => j >= most - 1e-9)?.other;
    return to === undefined ? [] : [{ voter, to, part: unit((most - 0.5) / 0.2) }];
  });
  return members.map(({ shares }) => {
    const now = new Map(shares);
    for (const { voter, to, part } of [...passing].reverse()) {
      const own = now.get(voter);
      const theirs = now.get(to);
      if (own === undefined || theirs === undefined) continue;
      now.set(voter, own - part * own);
      now.set(to, theirs + part * own);
    }
    return now;
  });
}

function capped(shares: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const total = sum([...shares.values()].map((share) => Math.min(share, 0.01)));
  return new Map([...shares].map(([voter, share]) => [voter, Math.min(share, 0.01) / total]));
}

function powerMarks(shares: ReadonlyMap<string, number>) {
  const descending = [...shares.values()].sort((a, b) => b - a);
  let k = 0;
  for (let held = 0, index = 0; held < 0.5 && index < descending.length; index += 1) {
    const share = descending[index] ?? 0;
    k += Math.min(1, (0.5 - held) / share);
    held += share;
  }
  const D = 1 / sum([...capped(shares).values()].map((c) => c * c));
  const voters = (n: number) => unit(Math.log(n) / Math.log(50));
  return {
    breadth: unit(Math.log(D / 3) / Math.log(100 / 3)),
    effective: voters(1 / sum(descending.map((share) => share * share))),
    majority: voters(2 * k),
    top: voters(1 / (descending[0] ?? 1)),
    s1: descending[0] ?? 0,
  };
}

const overlap = (p: ReadonlyMap<string, number>, q: ReadonlyMap<string, number>): number =>
  common(capped(p), capped(q));

function loyalty(
  members: readonly { readonly omega: number }[],
  shares: readonly ReadonlyMap<string, number>[],
  at: number,
): { readonly found: number; readonly mark: number } {
  let found = 0;
  let total = 0;
  for (let before = at - 1; before >= 0 && found < 10; before -= 1) {
    const omega = Math.min(members[before]?.omega ?? 0, 10 - found);
    found += omega;
    total += omega * overlap(shares[at] ?? new Map(), shares[before] ?? new Map());
  }
  return { found, mark: found === 0 ? 0 : unit(total / found / 0.5) };
}

function contested({ proposal, votes }: PlainMember): number | undefined {
  const { votingType } = proposal;
  if (votes.length === 0 || votingType === "unknown") return undefined;
  if (votingType === "approval" || votingType === "ranked-choice" || votingType === "copeland")
    return undefined;
  if (votingType === undefined && votes.some(({ choice }) => choice.kind !== "single")) return undefined;
  const options = new Map<number, number>();
  for (const { power = 0, choice } of votes) {
    if (choice.kind === "list" || choice.kind === "unreadable") return undefined;
    const parts = choice.kind === "single" ? [[choice.option, 1] as const] : choice.weights;
    const all = sum(parts.map(([, weight]) => weight));
    if (all === 0) continue;
    for (const [option, weight] of parts)
      options.set(option, (options.get(option) ?? 0) + (power * weight) / all);
  }
  const total = sum(options.values());
  if (total === 0) return undefined;
  // Whoever abstains is counted, but takes no side; in a basic vote that is the third option.
  if (votingType === "basic" || votingType === "fractional") options.delete(3);
  const leading = Math.max(0, ...options.values());
  return unit((sum(options.values()) - leading) / total / 0.25);
}

/** A valid vote on an eligible proposal. */
interface CastVote {
  readonly proposalId: string;
  readonly end: number;
  readonly wallet: number;
  readonly atMs: number | undefined;
}

/** Every valid vote on an eligible proposal, by wallet. */
function votesByWallet(facts: DaoFacts, t: number): ReadonlyMap<number, readonly CastVote[]> {
  const all = facts.proposals.flatMap((proposal) => {
    const ballot = facts.ballots.get(proposal.proposalId);
    if (ballot === undefined || !isEligible(proposal, t)) return [];
    const { proposalId, end } = proposal;
    return validVotes(facts, ballot).map(({ wallet, atMs }) => ({
      proposalId,
      end: end?.atMs ?? 0,
      wallet,
      atMs,
    }));
  });
  return groupBy(all, ({ wallet }) => wallet);
}

/** Marks of who gave a reason and who voted in a batch. */
function castMarks(
  { proposal, end, votes, shares }: PlainMember,
  castBy: ReadonlyMap<number, readonly CastVote[]>,
) {
  const c = capped(shares);
  const total = sum(votes.map((vote) => vote.power ?? 0));
  const part = (vote: PlainVote): number =>
    ((c.get(vote.voter) ?? 0) * (vote.power ?? 0)) / total / (shares.get(vote.voter) ?? 1);
  const judged = votes.map((vote): "batch" | "unknown" | "apart" => {
    const { atMs } = vote;
    if (atMs === undefined) return "unknown";
    const own = (castBy.get(vote.wallet) ?? []).filter(
      (other) => other.end < end || (other.end === end && other.proposalId < proposal.proposalId),
    );
    if (own.some((other) => Math.abs((other.atMs ?? Infinity) - atMs) <= 60_000)) return "batch";
    return own.some((other) => other.atMs === undefined && other.end >= atMs - 60_000) ? "unknown" : "apart";
  });
  const of = (word: string) => sum(votes.filter((_, at) => judged[at] === word).map(part));
  const reasons = sum(votes.filter(({ reason }) => reason === true).map(part));
  const open = sum(votes.filter(({ reason }) => reason === undefined).map(part));
  return {
    rationale: proposal.isShutter
      ? undefined
      : ([unit(reasons / 0.1), unit((reasons + open) / 0.1)] as const),
    apart: [of("apart"), of("apart") + of("unknown")] as const,
    isTimed: judged.some((word) => word !== "unknown"),
  };
}

function quorum({ proposal, S, scale }: PlainMember): number | undefined {
  const { quorum: q, isQuorumRejection, quorumPower: counted = S } = proposal;
  if (q === undefined || isQuorumRejection) return undefined;
  if (q === 0) return 0;
  if (S === undefined || counted === undefined || scale === undefined) return undefined;
  return unit(q / (0.01 * scale)) * unit((2 * counted) / q - 1);
}

function cadence(members: readonly PlainMember[], t: number): number {
  const from = t - 180 * DAY;
  const turns = [from, t, ...members.flatMap(({ end }) => [end, end + 30 * DAY])]
    .filter((at) => at >= from && at <= t)
    .sort((a, b) => a - b);
  const pieces = turns.slice(1).map((until, at) => {
    const since = turns[at] ?? until;
    const open = members.filter(({ end }) => end <= since && end + 30 * DAY > since);
    return Math.max(0, ...open.map(({ omega }) => omega)) * (until - since);
  });
  return sum(pieces) / (180 * DAY);
}

function days(proposal: Proposal): number | undefined {
  const { start, end } = proposal;
  if (start === undefined || end === undefined) return undefined;
  const isExact = start.precision === "second" && end.precision === "second";
  return isExact ? (end.atMs - start.atMs) / DAY : Math.floor(end.atMs / DAY) - Math.floor(start.atMs / DAY);
}

function delay({ created, start }: Proposal): number | undefined {
  return created?.precision === "second" && start?.precision === "second"
    ? unit((start.atMs - created.atMs) / DAY / 2)
    : undefined;
}

function isLink(text: string): number {
  try {
    return /^https?:$/.test(new URL(text).protocol) ? 1 : 0;
  } catch {
    return 0;
  }
}

const FIELDS = [
  "author",
  "created",
  "start",
  "end",
  "votingType",
  "choicesCount",
  "discussion",
  "scoresTotal",
  "votesCount",
] as const;

/** When the DAO was last looked at whole. */
function lookedAt(facts: DaoFacts): number {
  if (facts.lastCompleteFetchMs === undefined) return -Infinity;
  if (!facts.isArchive) return facts.lastCompleteFetchMs;
  const voted = facts.proposals.filter((proposal) => {
    const ballot = facts.ballots.get(proposal.proposalId);
    return isEligible(proposal, Infinity) && ballot && validVotes(facts, ballot).length > 0;
  });
  const last = Math.max(-Infinity, ...voted.map((proposal) => proposal.end?.atMs ?? 0));
  return (Math.floor(last / DAY) + 1) * DAY - 1;
}

interface Weighed {
  readonly weight: number;
  readonly mark: Ends | number | undefined;
}

function interval(items: readonly Weighed[]): Ends {
  const known = items.flatMap(({ weight, mark }) =>
    mark === undefined ? [] : [{ weight, ends: typeof mark === "number" ? ([mark, mark] as const) : mark }],
  );
  const k = sum(known.map(({ weight }) => weight));
  return [
    sum(known.map(({ weight, ends }) => weight * ends[0])) / (k + 2),
    (sum(known.map(({ weight, ends }) => weight * ends[1])) + 2) / (k + 2),
  ];
}

const both = (a: number, b: number): Ends => [Math.min(a, b), Math.max(a, b)];
const gvsOf = (hpr: number, dei: number, pdi: number, gpi: number): number =>
  (1 + hpr) ** 0.3 * (1 + dei) ** 0.3 * (1 + pdi) ** 0.2 * (1 + gpi) ** 0.2 - 1;

function indicatorsOf(
  facts: DaoFacts,
  t: number,
  members: readonly PlainMember[],
  unseen: number,
  authorOf: (author: string) => string,
) {
  const powered = members.filter(({ votes }) => votes.length > 0);
  const joint = merged(facts, powered);
  const castBy = votesByWallet(facts, t);
  const rows = members.map((member) => {
    const at = powered.indexOf(member);
    const cast = castMarks(member, castBy);
    const { w, r, proposal } = member;
    const plain = powerMarks(member.shares);
    const other = powerMarks(joint[at] ?? new Map());
    const has = at >= 0;
    const of = (key: "breadth" | "effective" | "majority" | "top") =>
      has ? both(plain[key], other[key]) : undefined;
    const own = loyalty(
      powered,
      powered.map(({ shares }) => shares),
      at,
    );
    const their = loyalty(powered, joint, at);
    return {
      member,
      has,
      cast,
      s1: both(plain.s1, other.s1),
      marks: {
        breadth: { weight: w * r, mark: of("breadth") },
        loyalty: {
          weight: (w * r * own.found) / 10,
          mark: has && own.found > 0 ? both(own.mark, their.mark) : undefined,
        },
        effective: { weight: w * r, mark: of("effective") },
        majority: { weight: w * r, mark: of("majority") },
        top: { weight: w * r, mark: of("top") },
        discussion: {
          weight: w,
          mark: proposal.discussion === undefined ? undefined : isLink(proposal.discussion),
        },
        period: {
          weight: w,
          mark: days(proposal) === undefined ? undefined : unit(((days(proposal) ?? 0) - 1) / 6),
        },
        delay: { weight: w, mark: delay(proposal) },
        contested: { weight: w * r, mark: contested(member) },
        rationale: { weight: w * r, mark: has ? cast.rationale : undefined },
        not_batch: { weight: w * r, mark: has ? cast.apart : undefined },
        quorum: { weight: w, mark: quorum(member) },
      } satisfies Record<string, Weighed>,
    };
  });
  const signed = members.filter(({ proposal }) => proposal.author !== undefined);
  const W = sum(signed.map(({ w }) => w));
  const squares = sum(signed.map(({ w }) => w * w));
  const authors = [...new Set(signed.map(({ proposal }) => authorOf(proposal.author ?? "")))];
  const ofAuthors = sum(
    authors.map(
      (author) =>
        sum(signed.filter(({ proposal }) => authorOf(proposal.author ?? "") === author).map(({ w }) => w)) **
        2,
    ),
  );
  const pairs = authors.length === 0 || signed.length < 2 ? 0 : W * W - squares;
  const { space } = facts;
  const guardians = space?.adminsAndModeratorsCount;
  const rails = [
    space?.isProposingGated,
    space?.hasFixedPeriod,
    guardians === undefined ? undefined : guardians >= 2,
  ];
  const yes = rails.filter((rail) => rail === true).length / 3;
  const maybe = rails.filter((rail) => rail === undefined).length / 3;
  const active = cadence(members, t);
  const ids = [
    "breadth",
    "loyalty",
    "effective",
    "majority",
    "top",
    "discussion",
    "period",
    "delay",
    "contested",
    "rationale",
    "not_batch",
    "quorum",
  ] as const;
  const perProposal = ids.map((id) => [id, interval(rows.map(({ marks }) => marks[id]))] as const);
  const indicators: Record<string, Ends> = {
    ...Object.fromEntries(perProposal),
    cadence: [active, Math.min(1, active + unseen / 180)],
    proposers: interval(
      pairs > 0 ? [{ weight: pairs / W, mark: unit((W * W - ofAuthors) / pairs / 0.9) }] : [],
    ),
    guardrails: [yes, yes + maybe],
  };
  return { rows, indicators };
}

/** What the second implementation says of a DAO. */
type PlainScore = ReturnType<typeof plainScore>;

/** Scores a DAO as of t. */
export function plainScore(
  facts: DaoFacts,
  t: number,
  authorOf: (author: string) => string = (author) => author,
) {
  const { members, eligible } = frameOf(facts, t);
  const unseen = Math.max(0, (t - lookedAt(facts)) / DAY);
  const { rows, indicators } = indicatorsOf(facts, t, members, unseen, authorOf);
  const [p1 = 0, p2 = 0] = members
    .map(({ omega, end }) => omega * unit((180 - (t - end) / DAY) / 60))
    .sort((a, b) => b - a);
  const f = (p1 + p2) / 2;
  const presence: Ends = [f, f + (1 - f) * unit(unseen / 7)];
  const component = (...ids: readonly string[]): Ends => [
    (10 * presence[0] * sum(ids.map((id) => indicators[id]?.[0] ?? 0))) / ids.length,
    (10 * presence[1] * sum(ids.map((id) => indicators[id]?.[1] ?? 0))) / ids.length,
  ];
  const hpr = component("breadth", "loyalty");
  const dei = component("effective", "majority", "top");
  const pdi = component("discussion", "period", "delay", "contested", "rationale", "not_batch");
  const gpi = component("quorum", "cadence", "proposers", "guardrails");
  const point = ([low, high]: Ends): number => Math.sqrt((1 + low) * (1 + high)) - 1;
  const gvs: Ends = [gvsOf(hpr[0], dei[0], pdi[0], gpi[0]), gvsOf(hpr[1], dei[1], pdi[1], gpi[1])];
  const points = { hpr: point(hpr), dei: point(dei), pdi: point(pdi), gpi: point(gpi), gvs: point(gvs) };
  const knownShare = unit(1 - Math.log((1 + gvs[1]) / (1 + gvs[0])) / Math.log(11));

  const powered = rows.filter(({ has }) => has);
  const weights = powered.map(({ member }) => member.w * member.r);
  const total = sum(weights);
  const mean = (of: (row: (typeof rows)[number]) => number): number =>
    sum(powered.map((row, at) => (weights[at] ?? 0) * of(row))) / total;
  const decides = (share: number): number => unit((share - 0.4) / 0.1);
  const floors = [0, 1].map((end) => 75 * unit(2 * mean(({ s1 }) => decides(s1[end as 0 | 1]))));
  const majority = ({ member }: (typeof rows)[number]): number => {
    const shares = [...member.shares.values()].sort((a, b) => b - a);
    return 1 + shares.findIndex((_, at) => sum(shares.slice(0, at + 1)) > 0.5 + 0.5e-9);
  };
  const recent = members.filter(({ end }) => end > t - 90 * DAY);
  const active = recent.flatMap(({ shares }) =>
    [...shares].filter(([, s]) => s >= 1e-6).map(([voter]) => voter),
  );
  const W = sum(members.map(({ w }) => w));
  return {
    components: { hpr, dei, pdi, gpi },
    points,
    gvs,
    knownShare,
    presence,
    indicators,
    risk:
      powered.length === 0
        ? undefined
        : ([
            Math.max(100 - 5 * (dei[1] + gvs[1]), floors[0] ?? 0),
            Math.max(100 - 5 * (points.dei + points.gvs), floors[1] ?? 0),
            Math.max(100 - 5 * (dei[0] + gvs[0]), floors[1] ?? 0),
          ] as const),
    whalePct: 100 * mean(({ member }) => sum([...member.shares.values()].sort((a, b) => b - a).slice(0, 4))),
    checkpointPct: powered.some(({ cast }) => cast.isTimed)
      ? 100 * (1 - mean(({ cast }) => (cast.apart[0] + cast.apart[1]) / 2))
      : undefined,
    capture: median(powered.map((row, at) => ({ value: majority(row), weight: weights[at] ?? 0 }))),
    activeVoters:
      recent.length > 0 && recent.every(({ shares }) => shares.size === 0) ? undefined : new Set(active).size,
    perMonth: sum(recent.map(({ omega }) => omega)) / 3,
    completeness:
      W === 0
        ? undefined
        : (100 *
            sum(
              members.map(({ w, r, proposal }) => {
                const known = FIELDS.filter((field) => proposal[field] !== undefined).length;
                return w * (0.5 * r + (0.5 * known) / 9);
              }),
            )) /
          W,
    eligible,
    indexWeight: presence[0] * unit(2 * knownShare - 1),
  };
}

function expectNear(mine: number | undefined, theirs: number | undefined, what: string): void {
  const isNear = Math.abs((mine ?? Number.NaN) - (theirs ?? Number.NaN)) < 1e-9;
  // Asked of tens of thousands of numbers: an expectation for each costs far more than comparing them.
  if (!isNear) expect.fail(`${what}: ${mine} and ${theirs}`);
}

/** Expects every number of a score to be that of the second implementation, to 1e-9. */
export function expectSame(score: DaoScore, plain: PlainScore): void {
  for (const key of COMPONENT_KEYS) {
    const { low, point, high, indicators } = score.components[key];
    for (const { id, mark } of indicators) {
      expectNear(mark[0], plain.indicators[id]?.[0], `${id} low`);
      expectNear(mark[1], plain.indicators[id]?.[1], `${id} high`);
    }
    expectNear(low, plain.components[key][0], `${key} low`);
    expectNear(high, plain.components[key][1], `${key} high`);
    expectNear(point, plain.points[key], key);
  }
  expectNear(score.gvs.low, plain.gvs[0], "gvs low");
  expectNear(score.gvs.high, plain.gvs[1], "gvs high");
  expectNear(score.gvs.point, plain.points.gvs, "gvs");
  expectNear(score.knownShare, plain.knownShare, "known share");
  expectNear(score.presence[0], plain.presence[0], "presence");
  expectNear(score.presence[1], plain.presence[1], "presence, high");
  expectNear(score.indexWeight, plain.indexWeight, "index weight");
  expect(score.confidence).toBe(plain.eligible >= 20 ? "high" : "low");
  expect(score.completenessPct === undefined).toBe(plain.completeness === undefined);
  if (plain.completeness !== undefined) expectNear(score.completenessPct, plain.completeness, "completeness");
  expect(score.risk === undefined).toBe(plain.risk === undefined);
  const { risk } = score;
  if (risk === undefined || plain.risk === undefined) return;
  expectNear(risk.score.low / 10, plain.risk[0] / 10, "risk low");
  expectNear(risk.score.point / 10, plain.risk[1] / 10, "risk");
  expectNear(risk.score.high / 10, plain.risk[2] / 10, "risk high");
  expectNear(risk.whaleControlPct / 100, plain.whalePct / 100, "whales");
  expect(risk.checkpointVotingPct === undefined).toBe(plain.checkpointPct === undefined);
  if (plain.checkpointPct !== undefined)
    expectNear((risk.checkpointVotingPct ?? 0) / 100, plain.checkpointPct / 100, "checkpoint");
  expectNear(risk.proposalsPerMonth, plain.perMonth, "velocity");
  expect(risk.captureRisk).toBe(captureRiskOf(plain.capture ?? Number.NaN));
  expect(risk.activeVoterCount).toBe(plain.activeVoters);
}
