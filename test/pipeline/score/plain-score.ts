import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type PlainVote, plainLinks, plainVotes } from "./plain-coordination.ts";
import { plainDeliberation, plainProcess } from "./plain-process.ts";
import { plainMean, plainMedian, unit } from "./plain-statistics.ts";

const DAY = 86_400_000;
/** A proposal of the frame in the second implementation. */
export interface PlainMember {
  readonly proposal: Proposal;
  readonly end: number;
  readonly power: number | undefined;
  readonly weight: number;
  readonly isHeld: boolean;
  readonly votes: readonly PlainVote[];
}

/** What the second implementation says of a DAO; `undefined` is a gap. */
export interface PlainScore {
  readonly hpr: number | undefined;
  readonly dei: number | undefined;
  readonly pdi: number | undefined;
  readonly gpi: number | undefined;
  readonly gvs: number | undefined;
  readonly risk: number | undefined;
  readonly whalePct: number | undefined;
  readonly activeVoters: number | undefined;
  readonly attention: number;
}

function plainAttended(facts: DaoFacts, t: number): PlainMember[] {
  const eligible = facts.proposals.flatMap((proposal) => {
    const { end, state, scoresState } = proposal;
    if (end === undefined || end.atMs > t || end.atMs <= t - 730 * DAY) return [];
    if (state === "active" || state === "pending" || state === "cancelled") return [];
    if (scoresState === "pending" || scoresState === "invalid") return [];
    if (proposal.isFlagged || proposal.isDeleted) return [];
    const ballot = facts.ballots.get(proposal.proposalId);
    const powers = ballot === undefined ? [] : [...ballot.powers];
    const isSumKnown = ballot?.flags.every((flags) => (flags & 1) !== 0) && powers.length > 0;
    const own = isSumKnown ? powers.reduce((a, b) => a + b, 0) : undefined;
    const nobody = proposal.votesCount === 0 && ballot === undefined ? 0 : undefined;
    const votes = ballot === undefined ? [] : plainVotes(ballot);
    const isHeld = votes.length > 0;
    return [{ proposal, end: end.atMs, power: proposal.scoresTotal ?? nobody ?? own, isHeld, votes }];
  });
  return eligible.flatMap((item) => {
    const { strategiesKey } = item.proposal;
    const largest = eligible
      .filter((other) => other.proposal.strategiesKey === strategiesKey && (other.power ?? 0) > 0)
      .map((other) => other.power ?? 0)
      .sort((a, b) => b - a)
      .slice(0, 50);
    const scale = plainMedian(largest.map((power) => ({ value: power, weight: power })));
    if (item.power === undefined) return [{ ...item, weight: 1 }];
    const weight = scale === undefined ? 0 : unit((item.power / scale - 0.25) / 0.75);
    return weight > 0 ? [{ ...item, weight }] : [];
  });
}

const weightSum = (members: readonly PlainMember[]): number =>
  members.reduce((sum, member) => sum + member.weight, 0);

function plainFrame(attended: readonly PlainMember[], t: number): PlainMember[] {
  const held = attended.filter((member) => member.isHeld);
  const frame = held.filter((member) => member.end > t - 180 * DAY);
  for (const older of held.filter((member) => member.end <= t - 180 * DAY).reverse()) {
    if (weightSum(frame) < 20) frame.unshift(older);
  }
  return frame;
}

/** Share of each head on one proposal; power unknown gives `undefined` for each. */
function headShares(member: PlainMember, headOf: (voter: number) => number): Map<number, number | undefined> {
  const shares = new Map<number, number | undefined>();
  for (const { voter, share } of member.votes) {
    const head = headOf(voter);
    shares.set(head, share === undefined ? undefined : (shares.get(head) ?? 0) + share);
  }
  return shares;
}

/** g and π of every head over the members. */
function plainHeads(members: readonly PlainMember[], headOf: (voter: number) => number) {
  const total = weightSum(members);
  const byMember = members.map((member) => headShares(member, headOf));
  const heads = [...new Set(byMember.flatMap((shares) => [...shares.keys()]))];
  const weights = new Map(
    heads.map((head) => {
      const own = members.flatMap((member, index) => {
        const shares = byMember[index];
        if (!shares?.has(head)) return [];
        const share = shares.get(head);
        return [
          { value: share === undefined ? 1 : unit((share / 1e-6 - 0.25) / 0.75), weight: member.weight },
        ];
      });
      const attendance = own.reduce((sum, item) => sum + item.weight, 0) / total;
      return [head, { g: plainMean(own) ?? 0, attendance }] as const;
    }),
  );
  const perMember = byMember.map((shares) =>
    [...shares.keys()].reduce((sum, head) => sum + (weights.get(head)?.g ?? 0), 0),
  );
  return { weights, perMember };
}

/** Entities first, then links, by repeated relabelling. */
function plainHuman(facts: DaoFacts, links: readonly string[]): Map<number, number> {
  const label = new Map<number, number>();
  const entityOf = (voter: number): string => facts.entityIdOfVoter.get(voter) ?? `wallet ${voter}`;
  const voters = [...new Set([...facts.ballots.values()].flatMap((ballot) => [...ballot.voterIds]))];
  for (const voter of voters)
    label.set(voter, Math.min(...voters.filter((other) => entityOf(other) === entityOf(voter))));
  for (const link of links) {
    const [a, b] = link.split("-").map(Number);
    const [one, other] = [label.get(a ?? -1), label.get(b ?? -1)];
    for (const voter of voters) if (label.get(voter) === other) label.set(voter, one ?? voter);
  }
  return label;
}

/** Points per measure of concentration over the frame. */
function plainDecentralization(members: readonly PlainMember[], headOf: (voter: number) => number) {
  const measured = members.flatMap((member) => {
    const shares = [...headShares(member, headOf).values()];
    if (shares.length === 0 || shares.some((share) => share === undefined)) return [];
    const sorted = shares.map((share) => share ?? 0).sort((a, b) => b - a);
    let sum = 0;
    const k = sorted.findIndex((share) => {
      sum += share;
      return sum > 0.5 + 0.5e-9;
    });
    return [
      {
        weight: member.weight,
        n: 1 / sorted.reduce((total, share) => total + share * share, 0),
        k: k + 1,
        top: sorted[0] ?? 0,
        four: sorted.slice(0, 4).reduce((a, b) => a + b, 0),
      },
    ];
  });
  if (measured.length === 0) return undefined;
  const median = (key: "n" | "k" | "top" | "four"): number =>
    plainMedian(measured.map((item) => ({ value: item[key], weight: item.weight }))) ?? 0;
  const dominated = measured.filter((item) => item.k === 1).reduce((sum, item) => sum + item.weight, 0);
  return {
    dei:
      (10 / 3) *
      (unit(Math.log(median("n")) / Math.log(50)) +
        unit(Math.log(median("k")) / Math.log(25)) +
        1 -
        unit((median("top") - 0.05) / 0.45)),
    four: median("four"),
    q: dominated / measured.reduce((sum, item) => sum + item.weight, 0),
  };
}

function plainParticipation(
  frame: readonly PlainMember[],
  attended: readonly PlainMember[],
  t: number,
  heads: { readonly human: ReturnType<typeof plainHeads>; readonly entity: ReturnType<typeof plainHeads> },
  isAssessed: boolean,
): number | undefined {
  const weigh = (values: readonly number[]) =>
    frame.map((member, index) => ({ value: values[index] ?? 0, weight: member.weight }));
  const h = plainMean(weigh(heads.human.perMember)) ?? 0;
  const v = plainMean(weigh(heads.entity.perMember)) ?? 0;
  if (h === 0 || v === 0) return undefined;
  const n = weightSum(frame) ** 2 / frame.reduce((sum, member) => sum + member.weight ** 2, 0);
  const five = [...heads.human.weights.values()].reduce(
    (sum, head) => sum + head.g * (1 - (1 - head.attendance) ** 5),
    0,
  );
  const r0 = 1 / (n * (1 - (1 - 1 / n) ** 5));
  const loyalty = n < 1 + 1e-9 ? 0 : unit((h / five - r0) / (1 - r0));
  const median = plainMedian(weigh(heads.human.perMember)) ?? 0;
  const b = unit((Math.log(Math.max(1, median)) - Math.log(5)) / (Math.log(1000) - Math.log(5)));
  const part = (index: number): number => {
    const end = attended.at(index)?.end;
    return end === undefined ? 0 : unit((180 - (t - end) / DAY) / 60);
  };
  const f = part(-1) / 2 + part(-2) / 2;
  const a = isAssessed ? Math.min(1, h / v) : 1;
  const hpr = (10 * a * f * (unit(loyalty / 0.4) + b)) / 2;
  return isAssessed ? hpr : Math.min(5, hpr);
}

/** Methodology §1–§7 written down a second time, for small DAOs, with no thought of speed. */
export function plainScore(facts: DaoFacts, t: number): PlainScore {
  const attended = plainAttended(facts, t);
  const frame = plainFrame(attended, t);
  const sum = weightSum(frame);
  const timed = frame.map((member) =>
    member.votes.flatMap(({ voter, timeS, choice }) =>
      timeS === undefined ? [] : [{ voter, timeS, choice: JSON.stringify(choice) }],
    ),
  );
  const timedCount = timed.flat().length;
  const isAssessed =
    timed.filter((votes) => votes.length > 0).length >= 3 &&
    timedCount * 2 >= frame.reduce((count, member) => count + member.votes.length, 0);
  const human = plainHuman(facts, isAssessed ? plainLinks(timed) : []);
  const entity = plainHuman(facts, []);
  const humanOf = (voter: number): number => human.get(voter) ?? voter;
  const entityOf = (voter: number): number => entity.get(voter) ?? voter;
  const heads = { human: plainHeads(frame, humanOf), entity: plainHeads(frame, entityOf) };
  const power = plainDecentralization(frame, humanOf);
  const thin = (score: number | undefined): number | undefined =>
    score === undefined ? undefined : score - (1 - Math.min(1, sum / 20)) * Math.max(0, score - 5);
  const hpr = thin(
    frame.length === 0 ? undefined : plainParticipation(frame, attended, t, heads, isAssessed),
  );
  const dei = thin(power?.dei);
  const pdi = thin(plainDeliberation(frame, attended));
  const gpi = thin(frame.length === 0 ? undefined : plainProcess(facts.space, frame, attended, t));
  const recent = frame.filter((member) => member.end > t - 90 * DAY);
  const isRecentMissing = recent.length === 0 && attended.some((member) => member.end > t - 90 * DAY);
  const activeVoters = isRecentMissing
    ? undefined
    : [...plainHeads(recent, humanOf).weights.values()].filter((head) => head.g >= 0.5).length;
  const common = { hpr, dei, pdi, gpi, activeVoters, attention: sum };
  if (hpr === undefined || dei === undefined || pdi === undefined || gpi === undefined)
    return { ...common, gvs: undefined, risk: undefined, whalePct: undefined };
  const gvs = (1 + hpr) ** 0.3 * (1 + dei) ** 0.3 * (1 + pdi) ** 0.2 * (1 + gpi) ** 0.2 - 1;
  if (power === undefined || activeVoters === undefined)
    return { ...common, gvs, risk: undefined, whalePct: undefined };
  const base = 100 - 10 * (0.2 * hpr + 0.45 * dei + 0.15 * pdi + 0.2 * gpi);
  const risk = Math.max(base, 75 * unit(2 * power.q), 50 * unit((20 - activeVoters) / 10));
  return { ...common, gvs, risk, whalePct: 100 * power.four };
}
