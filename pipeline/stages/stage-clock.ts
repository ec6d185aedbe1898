import type { RunEffects } from "../home/settings.ts";

/** What one stage of a run took. */
export interface StageTime {
  readonly stage: string;
  readonly wallMs: number;
  /** Of all threads together; `undefined` where nobody can tell. */
  readonly processorMs?: number | undefined;
  /** What came in or went out. */
  readonly bytes?: number | undefined;
}

/** Runs the stages of a run and notes what each took. */
export type StageClock = ReturnType<typeof createStageClock>;

/** A clock that has timed nothing yet. */
export function createStageClock(effects: RunEffects) {
  const stages: StageTime[] = [];
  return {
    /** Those that are over, in their order. */
    stages: (): readonly StageTime[] => [...stages],
    /** A stage begins now, and ends when the answer is called. */
    begin(stage: string): (bytes?: number) => void {
      const startedAtMs = effects.nowMs();
      const processorMs = effects.processorMs?.();
      return (bytes) => {
        const spentMs = effects.processorMs?.();
        stages.push({
          stage,
          wallMs: effects.nowMs() - startedAtMs,
          ...(spentMs === undefined || processorMs === undefined
            ? {}
            : { processorMs: spentMs - processorMs }),
          ...(bytes === undefined ? {} : { bytes }),
        });
      };
    },
    async timed<Result>(
      stage: string,
      action: () => Result | Promise<Result>,
      bytesOf?: (result: Result) => number | undefined,
    ): Promise<Result> {
      const end = this.begin(stage);
      const result = await action();
      end(bytesOf?.(result));
      return result;
    },
  };
}
