import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DaoFacts } from "../../pipeline/facts/dao-facts.ts";
import { endedDayEndsMs } from "../../pipeline/facts/days.ts";
import { createDaoMeasurer, type DaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { readArchive } from "../real/archive-facts.ts";
import { lastHeldMs } from "../support/compare-days.ts";
import { findArchive } from "./find-archive.ts";

// npx tsx test/bench/history.ts [ARCHIVE] [SPACE…]: scores every DAO as of each of 365 day-ends in one pass, and as of every
// 16th of them by a fresh measurer, both in turns. Figure to reach: 365 single scorings take at least twenty times as long as
// one pass over those 365 days. Times are those of the processor, which other programs disturb less.

const DAYS = 365;
const SAMPLE_EVERY = 16;

interface Measured {
  readonly space: string;
  readonly votes: number;
  readonly onePassMs: number;
  readonly singlesMs: number;
  readonly heapMb: number;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function timed(work: () => unknown): number {
  const beganMs = processorMs();
  work();
  return processorMs() - beganMs;
}

function measure(facts: DaoFacts, lastMs: number): Measured {
  const fresh = (): DaoMeasurer => createDaoMeasurer(facts, () => undefined);
  const scoreDays = (measurer: DaoMeasurer, dayEndsMs: readonly number[]): void => {
    for (const dayEndMs of dayEndsMs) scoreMeasures(measurer.measureAt(dayEndMs));
  };
  const days = endedDayEndsMs(lastMs, DAYS);
  const before = process.memoryUsage();
  // Made inside, as much is computed when a measurer is made; and kept until its memory has been looked at.
  let kept: DaoMeasurer | undefined;
  const onePassMs = timed(() => {
    kept = fresh();
    scoreDays(kept, days);
  });
  const after = process.memoryUsage();
  const sample = days.filter((_, day) => day % SAMPLE_EVERY === SAMPLE_EVERY / 2);
  const sampleMs = sample.reduce((sum, dayMs) => sum + timed(() => scoreDays(fresh(), [dayMs])), 0);
  const grownBytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return {
    space: facts.dao.spaceId,
    votes: [...facts.ballots.values()].reduce((sum, { count }) => sum + count, 0),
    onePassMs,
    singlesMs: (sampleMs / sample.length) * DAYS,
    heapMb: kept === undefined ? 0 : grownBytes / 1e6,
  };
}

function print({ space, votes, onePassMs, singlesMs, heapMb }: Measured): void {
  const columns = [
    votes,
    Math.round(onePassMs),
    Math.round(singlesMs),
    `${(singlesMs / onePassMs).toFixed(1)}x`,
    heapMb.toFixed(0),
  ];
  process.stdout.write(`${space.padEnd(26)}${columns.map((each) => String(each).padStart(12)).join("")}\n`);
}

async function main(): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), "history-"));
  try {
    const [argument, ...chosen] = process.argv.slice(2);
    const { directory, origin } = findArchive(argument === "" ? undefined : argument, temporary);
    const spaces = readdirSync(join(directory, "proposals")).map((file) => file.replace(/\.ndjson$/, ""));
    const reader = readArchive(directory);
    process.stdout.write(`${origin}\n${"DAO".padEnd(26)}`);
    const names = ["votes", "365 days ms", "365 x 1 ms", "ratio", "grown MB"];
    process.stdout.write(`${names.map((name) => name.padStart(12)).join("")}\n`);
    const all: Measured[] = [];
    let isWarm = false;
    for (const space of chosen.length > 0 ? chosen : spaces) {
      if (!existsSync(join(directory, "votes", `${space}.ndjson`))) continue;
      const facts = await reader.factsOf(space);
      const lastMs = lastHeldMs(facts);
      if (lastMs === undefined) continue;
      // Once for nothing, so that compiling is not counted as scoring, whichever comes first.
      if (!isWarm) measure(facts, lastMs);
      isWarm = true;
      const measured = measure(facts, lastMs);
      all.push(measured);
      print(measured);
    }
    const sum = (of: (each: Measured) => number): number => all.reduce((total, each) => total + of(each), 0);
    print({
      space: `all ${all.length}`,
      votes: sum((each) => each.votes),
      onePassMs: sum((each) => each.onePassMs),
      singlesMs: sum((each) => each.singlesMs),
      heapMb: Math.max(...all.map((each) => each.heapMb)),
    });
    process.stdout.write(`peak memory, MB: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)}\n`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

await main();
