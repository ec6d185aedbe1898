import type { OurRun, OurScoring, StoredBytes } from "./measure-ours.ts";
import { type BareParse, median, type Seconds } from "./measured-stages.ts";

/** One measured ratio or size against what it should be. */
export interface Figure {
  readonly id: string;
  readonly what: string;
  /** Median, and the spread over the rounds. */
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
  /** The same by processor seconds, which other programs disturb less; `undefined` where it is no time. */
  readonly byProcessor: number | undefined;
  readonly goal: number;
  readonly isAtMost: boolean;
  readonly isReached: boolean;
}

/** One round: everything once, in turns. */
export interface Round {
  readonly lines: BareParse;
  readonly pages: BareParse;
  readonly ours: OurRun;
  readonly scoring: OurScoring;
}

type Goal = Pick<Figure, "id" | "what" | "goal" | "isAtMost">;

const TIMES = ["wallS", "processorS"] as const;

/** The faster way of parsing alone. */
export function fasterParse({ lines, pages }: Round, of: "parse" | "readAndParse"): Seconds {
  return lines[of].processorS < pages[of].processorS ? lines[of] : pages[of];
}

function judged(goal: Goal, values: readonly number[], byProcessor: number | undefined): Figure {
  const value = median(values);
  const isReached = goal.isAtMost ? value <= goal.goal : value >= goal.goal;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return { ...goal, value, lowest, highest, byProcessor, isReached };
}

function ratio<Each>(
  goal: Goal,
  rounds: readonly Each[],
  above: (round: Each) => Seconds,
  below: (round: Each) => Seconds,
): Figure {
  const [wall = [], processor = []] = TIMES.map((time) =>
    rounds.map((round) => above(round)[time] / below(round)[time]),
  );
  return judged(goal, wall, median(processor));
}

/** P4: the whole run against parsing. */
export function parseFigures(rounds: readonly Round[]): Figure[] {
  const p4 = { id: "P4", goal: 1.5, isAtMost: true };
  const ours = (round: Round): Seconds => round.ours.cost;
  return [
    ratio({ ...p4, what: "whole run / bare JSON.parse" }, rounds, ours, (round) =>
      fasterParse(round, "parse"),
    ),
    ratio({ ...p4, what: "whole run / read, decode and JSON.parse" }, rounds, ours, (round) =>
      fasterParse(round, "readAndParse"),
    ),
  ];
}

/** P8 and P9: bytes a vote and memory. */
export function sizeFigures(stored: StoredBytes, rounds: readonly Round[]): Figure[] {
  const votes = rounds[0]?.ours.votes ?? Number.NaN;
  const p8 = { id: "P8", goal: 25, isAtMost: true };
  const peaks = rounds.map(({ ours }) => ours.cost.peakMb);
  return [
    judged({ ...p8, what: "bytes a vote: ballots, choices and voters" }, [stored.votes / votes], undefined),
    judged({ ...p8, what: "bytes a vote: the whole warehouse" }, [stored.file / votes], undefined),
    judged({ id: "P9", what: "peak memory of a run, MB", goal: 1536, isAtMost: true }, peaks, undefined),
  ];
}

/** Runs of one size. */
export interface SizeRuns {
  readonly name: string;
  readonly runs: readonly OurRun[];
}

const P10 = { id: "P10", goal: 1.15, isAtMost: true };

/** What a further vote costs from one size to the next: fixed costs, which flatter the larger sizes, drop out. */
function furtherVote(from: SizeRuns, to: SizeRuns): number {
  const at = ({ runs }: SizeRuns, of: (run: OurRun) => number): number => median(runs.map(of));
  const processorS = ({ cost }: OurRun): number => cost.processorS;
  const votes = (run: OurRun): number => run.votes;
  return (at(to, processorS) - at(from, processorS)) / (at(to, votes) - at(from, votes));
}

/** P10: processor seconds a vote against those of the smallest size, and what a further vote costs. Sizes ascending. */
export function linearFigures(sizes: readonly SizeRuns[]): Figure[] {
  const perVote = (run: OurRun): number => run.cost.processorS / run.votes;
  const [smallest, second, ...others] = sizes;
  if (smallest === undefined || second === undefined) return [];
  const base = median(smallest.runs.map(perVote));
  const figures = [second, ...others].map(({ name, runs }) =>
    judged(
      { ...P10, what: `processor seconds a vote, ${name} / ${smallest.name}` },
      runs.map((run) => perVote(run) / base),
      undefined,
    ),
  );
  const last = others.at(-1);
  const beforeLast = others.at(-2) ?? second;
  if (last === undefined) return figures;
  const what = `a further vote, ${beforeLast.name} to ${last.name} / ${smallest.name} to ${second.name}`;
  const times = furtherVote(beforeLast, last) / furtherVote(smallest, second);
  return [...figures, judged({ ...P10, what }, [times], undefined)];
}
