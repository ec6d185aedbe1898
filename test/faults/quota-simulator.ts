import type { Sabotage } from "./quota-simulated-proxy.ts";
import { createSimulation } from "./quota-simulation.ts";
import { seededRandom } from "./seeded-random.ts";

/** What simulated days came to; `broken` says what must never be, with the run's seed. */
export interface SimulationTally {
  readonly runs: number;
  readonly requests: number;
  readonly served: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly crashes: number;
  readonly faults: number;
  readonly refunds: number;
  readonly broken: readonly string[];
}

/** Runs `runs` simulations, each from a seed that `seed` gives, of `steps` steps each. */
export async function simulateQuota(options: {
  readonly runs: number;
  readonly steps: number;
  readonly seed: number;
  readonly sabotage?: Sabotage;
}): Promise<SimulationTally> {
  const total = { requests: 0, served: 0, crashes: 0, faults: 0, refunds: 0 };
  const refused: Record<string, number> = {};
  const broken: string[] = [];
  for (let run = 0; run < options.runs; run += 1) {
    const seed = (options.seed + run * 7919) >>> 0;
    const world = createSimulation(seededRandom(seed), options.sabotage);
    try {
      for (let step = 0; step < options.steps; step += 1) await world.step();
      await world.end();
    } finally {
      world.remove();
    }
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += world.tally[name];
    for (const [name, count] of Object.entries(world.refused)) refused[name] = (refused[name] ?? 0) + count;
    broken.push(...world.broken.map((line) => `seed ${seed}: ${line}`));
  }
  return { runs: options.runs, ...total, refused, broken };
}
