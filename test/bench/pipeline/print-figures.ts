import { loadavg } from "node:os";
import { type Figure, fasterParse, type Round } from "./figures.ts";
import { median, type Seconds } from "./measured-stages.ts";

const number = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);

function line(columns: readonly string[], widths: readonly number[]): string {
  return `${columns.map((text, index) => (index === 1 ? text.padEnd(widths[index] ?? 0) : text.padStart(widths[index] ?? 0))).join("  ")}\n`;
}

/** The figures as a table. */
export function figuresTable(figures: readonly Figure[]): string {
  const widths = [4, 52, 9, 19, 11, 8, 12];
  const head = ["", "figure", "median", "min..max", "processor", "goal", ""];
  const rows = figures.map((each) => [
    each.id,
    each.what,
    number(each.value),
    `${number(each.lowest)}..${number(each.highest)}`,
    each.byProcessor === undefined ? "" : number(each.byProcessor),
    `${each.isAtMost ? "<=" : ">="} ${each.goal}`,
    each.isReached ? "reached" : "not reached",
  ]);
  return [head, ...rows].map((row) => line(row, widths)).join("");
}

/** Seconds of everything that was measured: what the ratios are made of. */
export interface MeasuredSeconds {
  readonly what: string;
  readonly wallS: number;
  readonly processorS: number;
}

function medianSeconds(what: string, all: readonly Seconds[]): MeasuredSeconds {
  return {
    what,
    wallS: median(all.map(({ wallS }) => wallS)),
    processorS: median(all.map(({ processorS }) => processorS)),
  };
}

/** What the parses and our own stages took. */
export function ourSeconds(rounds: readonly Round[]): MeasuredSeconds[] {
  return [
    medianSeconds(
      "bare JSON.parse",
      rounds.map((round) => fasterParse(round, "parse")),
    ),
    medianSeconds(
      "read, decode and JSON.parse",
      rounds.map((round) => fasterParse(round, "readAndParse")),
    ),
    medianSeconds(
      "ours: whole run",
      rounds.map(({ ours }) => ours.cost),
    ),
    medianSeconds(
      "ours: read and score one day",
      rounds.map(({ scoring }) => scoring.score),
    ),
    medianSeconds(
      "ours: read and score 365 days",
      rounds.map(({ scoring }) => scoring.history),
    ),
  ];
}

/** The seconds as a table, with how busy the machine is. */
export function secondsTable(title: string, seconds: readonly MeasuredSeconds[]): string {
  const widths = [0, 40, 10, 12];
  const rows = seconds.map(({ what, wallS, processorS }) => ["", what, number(wallS), number(processorS)]);
  const busy = loadavg().map(number).join(" ");
  return `\n${title} (load of the machine ${busy})\n${[["", "", "wall s", "processor s"], ...rows].map((row) => line(row, widths)).join("")}`;
}

/** Our stages on the wall, as run.json has them, medians over the rounds. */
export function stagesTable(rounds: readonly Round[]): string {
  const names = [...new Set(rounds.flatMap(({ ours }) => Object.keys(ours.stages)))];
  const parts = names.map((name) => {
    const seconds = median(rounds.map(({ ours }) => ours.stages[name] ?? 0));
    return `${name} ${number(seconds)}`;
  });
  return `ours by stage, wall s: ${parts.join(", ")}\n`;
}
