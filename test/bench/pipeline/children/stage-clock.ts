/** What one stage cost: seconds on the wall, and seconds of processors. */
export interface StageCost {
  readonly stage: string;
  readonly wallS: number;
  readonly processorS: number;
}

/** Times stages one after another. */
export interface StageClock {
  time<Result>(stage: string, work: () => Result | Promise<Result>): Promise<Result>;
  readonly costs: readonly StageCost[];
}

/** A clock of this process, its threads included. */
export function createStageClock(): StageClock {
  const costs: StageCost[] = [];
  return {
    costs,
    async time(stage, work) {
      const began = process.cpuUsage();
      const beganMs = performance.now();
      const result = await work();
      const { user, system } = process.cpuUsage(began);
      costs.push({
        stage,
        wallS: (performance.now() - beganMs) / 1_000,
        processorS: (user + system) / 1e6,
      });
      return result;
    },
  };
}
