import type { RunEffects } from "../home/settings.ts";

/** Time and bytes of one stage of a run. */
export interface StageTime {
  readonly stage: string;
  readonly wallMs: number;
  /** Of all threads together; `undefined` if unknown. */
  readonly processorMs?: number | undefined;
  /** Bytes read or written. */
  readonly bytes?: number | undefined;
}

/** Times the stages of a run. */
export type StageClock = ReturnType<typeof createStageClock>;

/** Starts without timings. */
export function createStageClock(effects: RunEffects) {
  const stages: StageTime[] = [];
  return {
    /** Finished stages, in order. */
    stages: (): readonly StageTime[] => [...stages],
    /** Starts a stage; the returned function ends it. */
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
