import { describe, expect, it } from "vitest";
import { type FollowProcess, superviseFollower } from "../../../../proxy/fleet/follow/supervise.ts";
import type { RemoteStatus } from "../../../../proxy/snapshot/snapshot-source.ts";

const statusWith = (problem: RemoteStatus["problem"]): RemoteStatus => ({
  problem,
  refusedVersion: undefined,
  upToDateAtMs: 5,
  bytesPulled: 10,
});

/** A process that does nothing by itself: it reports and ends when the test says so. */
function fakeProcess(onKill: (signal: string, end: (how: string) => void) => void) {
  let report: (status: RemoteStatus) => void = () => {};
  let end: (how: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const process: FollowProcess = {
    onStatus: (listener) => {
      report = listener;
    },
    ended,
    kill: (signal) => onKill(signal, end),
  };
  return { process, end: (how: string) => end(how), report: (status: RemoteStatus) => report(status) };
}

function setUp({ endsWhenTold = true } = {}) {
  const world = {
    nowMs: 0,
    processes: [] as ReturnType<typeof fakeProcess>[],
    kills: [] as string[],
    ends: [] as { how: string; againInMs: number }[],
    rests: [] as { waitMs: number; done: () => void }[],
  };
  const supervised = superviseFollower({
    start: () => {
      const made = fakeProcess((signal, end) => {
        world.kills.push(signal);
        if (endsWhenTold || signal === "SIGKILL") end(signal);
      });
      world.processes.push(made);
      return made.process;
    },
    nowMs: () => world.nowMs,
    rest: (waitMs, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
        world.rests.push({ waitMs, done: resolve });
      }),
    onEnd: (ended) => world.ends.push(ended),
  });
  /** Lets what was set off settle. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { world, supervised, settle };
}

describe("superviseFollower", () => {
  it("tells what the process reports, and that it is gone while it is", async () => {
    const { world, supervised, settle } = setUp();
    expect(supervised.status()).toMatchObject({ problem: undefined });
    world.processes[0]?.report(statusWith("REMOTE_AWAY"));
    expect(supervised.status()).toEqual(statusWith("REMOTE_AWAY"));
    world.processes[0]?.end("SIGKILL");
    await settle();
    expect(supervised.status()).toEqual(statusWith("REMOTE_FAILED"));
    expect(world.ends).toEqual([{ how: "SIGKILL", againInMs: 1_000 }]);
    expect(world.processes).toHaveLength(1);
    world.rests[0]?.done();
    await settle();
    world.processes[1]?.report(statusWith(undefined));
    expect(supervised.status().problem).toBe(undefined);
    await supervised.stop();
  });

  it("waits longer each time, and anew after one that lasted", async () => {
    const { world, supervised, settle } = setUp();
    for (const lastsMs of [0, 0, 0, 0, 0, 0, 0, 60_000, 59_999]) {
      world.nowMs += lastsMs;
      world.processes.at(-1)?.end("exit code 1");
      await settle();
      world.rests.at(-1)?.done();
      await settle();
    }
    const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 1_000, 2_000];
    expect(world.ends.map(({ againInMs }) => againInMs)).toEqual(waits);
    expect(world.rests.map(({ waitMs }) => waitMs)).toEqual(waits);
    await supervised.stop();
  });

  it("ends the process, and starts no other", async () => {
    const { world, supervised, settle } = setUp();
    await supervised.stop();
    await settle();
    expect(world.kills[0]).toBe("SIGTERM");
    expect([world.processes.length, world.ends]).toEqual([1, []]);
  });

  it("kills a process that does not end", async () => {
    const { world, supervised, settle } = setUp({ endsWhenTold: false });
    const stopping = supervised.stop();
    await settle();
    expect(world.rests.map(({ waitMs }) => waitMs)).toEqual([2_000]);
    world.rests[0]?.done();
    await stopping;
    expect(world.kills).toEqual(["SIGTERM", "SIGKILL"]);
  });

  it("ends in the pause before the next start", async () => {
    const { world, supervised, settle } = setUp();
    world.processes[0]?.end("exit code 1");
    await settle();
    await supervised.stop();
    expect(world.processes).toHaveLength(1);
  });

  it.each([
    { why: "what is waited for is reported", act: "report", isSoon: true },
    { why: "time is over", act: "time", isSoon: true },
    { why: "something else is reported", act: "other", isSoon: false },
  ])("settles when $why: $isSoon", async ({ act, isSoon }) => {
    const { world, supervised, settle } = setUp();
    let isSettled = false;
    void supervised
      .settled(({ problem }) => problem !== undefined, 30_000)
      .then(() => {
        isSettled = true;
      });
    await settle();
    if (act === "time") world.rests[0]?.done();
    else world.processes[0]?.report(statusWith(act === "report" ? "REMOTE_AWAY" : undefined));
    await settle();
    expect(isSettled).toBe(isSoon);
    await supervised.stop();
  });
});
