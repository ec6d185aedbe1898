import type { HttpEffects } from "../../../../pipeline/sources/http/http-settings.ts";

/** A clock that stands still but for sleeping, and remembers every sleep. */
export interface VirtualTime extends HttpEffects {
  readonly sleptMs: readonly number[];
  /** Moves the clock, also back. */
  move(byMs: number): void;
}

/** Starts at a given moment; chance is always one half unless told. */
export function createVirtualTime(startMs = Date.parse("2026-11-01T00:00:00Z"), chance = 0.5): VirtualTime {
  let atMs = startMs;
  const sleptMs: number[] = [];
  return {
    sleptMs,
    move: (byMs) => {
      atMs += byMs;
    },
    nowMs: () => atMs,
    sleep: async (waitMs) => {
      sleptMs.push(waitMs);
      atMs += waitMs;
    },
    random: () => chance,
  };
}

/** Turns of the event loop in which an answer over loopback arrives, unless the machine is very busy. */
const TURNS_OF_AN_ANSWER = 40;

/** A clock for tasks that run at once: while none of them can go on, it moves to the moment when the next one wakes. */
export function createSharedTime(startMs = Date.parse("2026-11-01T00:00:00Z")): HttpEffects {
  let atMs = startMs;
  const sleepers: { readonly wakeAtMs: number; readonly wake: () => void }[] = [];
  let isMoving = false;
  const move = async () => {
    isMoving = true;
    while (sleepers.length > 0) {
      for (let turn = 0; turn < TURNS_OF_AN_ANSWER; turn += 1) await new Promise(setImmediate);
      sleepers.sort((a, b) => a.wakeAtMs - b.wakeAtMs);
      const next = sleepers.shift();
      atMs = Math.max(atMs, next?.wakeAtMs ?? atMs);
      next?.wake();
    }
    isMoving = false;
  };
  return {
    nowMs: () => atMs,
    sleep: (waitMs) =>
      new Promise((wake) => {
        sleepers.push({ wakeAtMs: atMs + waitMs, wake });
        if (!isMoving) void move();
      }),
    random: () => 0.5,
  };
}
