import { VOTE_FLAGS } from "../../pipeline/facts/proposal-votes.ts";
import { createCoordinationWindow } from "../../pipeline/score/coordination/coordination-window.ts";
import { type CountedVotes, countedVotes } from "../../pipeline/score/frame/counted-votes.ts";

// npx tsx test/bench/coordination-burst.ts: looks for likely coordinated wallets where 5,000, 50,000 and 100,000 of them vote
// on three proposals, all in one minute of each, and prints what it takes against JSON.parse of the same votes, in turns.
// Times are those of the processor, medians of nine. Figure to reach: a burst costs no more than reading it (a ratio below 1).

const PROPOSALS = 3;
const TURNS = 9;

interface HubVote {
  readonly id: string;
  readonly voter: string;
  readonly created: number;
  readonly choice: number;
  readonly vp: number;
  readonly vp_state: string;
  readonly reason: string;
  readonly proposal: { readonly id: string };
}

const hex = (seed: number, digits: number): string =>
  Math.imul(seed + 1, 0x9e3779b1)
    .toString(16)
    .padStart(digits, "0")
    .slice(-digits)
    .replace("-", "0");

function burst(voters: number, proposal: number): HubVote[] {
  return Array.from({ length: voters }, (_, voter) => ({
    id: `0x${hex(voter + proposal, 64)}`,
    voter: `0x${hex(voter, 40)}`,
    created: 1_700_000_000 + proposal * 1_000_000 + (voter % 60),
    choice: 1,
    vp: 1 + (voter % 977),
    vp_state: "final",
    reason: "",
    proposal: { id: `p${proposal}` },
  }));
}

function votesOf(votes: readonly HubVote[], proposal: number): CountedVotes {
  const known = VOTE_FLAGS.powerKnown | VOTE_FLAGS.timeKnown | VOTE_FLAGS.final;
  const ballot = {
    proposalId: `p${proposal}`,
    count: votes.length,
    voterIds: Uint32Array.from(votes.keys()),
    powers: Float64Array.from(votes, ({ vp }) => vp),
    timesS: Uint32Array.from(votes, ({ created }) => created),
    choiceIndexes: new Uint32Array(votes.length),
    flags: new Uint8Array(votes.length).fill(known),
    choices: [{ kind: "single" as const, option: 1 }],
  };
  return countedVotes(ballot, (voter) => voter);
}

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

process.stdout.write("voters      parse ms  coordination ms     ratio\n");
for (const voters of [5_000, 50_000, 100_000]) {
  const all = Array.from({ length: PROPOSALS }, (_, proposal) => burst(voters, proposal));
  const text = JSON.stringify(all.flat());
  const parseMs: number[] = [];
  const lookMs: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    // Votes anew in each turn: what is remembered of a ballot would otherwise cost nothing from the second on.
    const ballots = all.map((votes, order) => ({ order, votes: votesOf(votes, order) }));
    parseMs.push(processorMs(() => JSON.parse(text)));
    lookMs.push(processorMs(() => createCoordinationWindow(voters).moveTo(ballots)));
  }
  const [parse, look] = [median(parseMs), median(lookMs)];
  const columns = [
    parse.toFixed(1).padStart(12),
    look.toFixed(1).padStart(17),
    (look / parse).toFixed(2).padStart(10),
  ];
  process.stdout.write(`${String(voters).padEnd(7)}${columns.join("")}\n`);
}
