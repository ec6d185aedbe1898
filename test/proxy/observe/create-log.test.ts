import { describe, expect, it } from "vitest";
import { redisFailure, storeFailure } from "../../../proxy/fleet/redis/store-failure.ts";
import { bufferLines, createLog, logStoreFailures } from "../../../proxy/observe/create-log.ts";

function sinkOf(parts: { behind?: () => number; fail?: () => boolean } = {}) {
  const writes: string[] = [];
  return {
    writes,
    get writableLength() {
      return parts.behind?.() ?? 0;
    },
    write(text: string) {
      if (parts.fail?.() === true) throw new Error("ENOSPC");
      writes.push(text);
    },
  };
}

describe("bufferLines", () => {
  it("writes many lines in one piece, in their order, and each once", () => {
    const sink = sinkOf();
    const lines = bufferLines(sink);
    lines.write("a\n");
    lines.write("b\n");
    expect(sink.writes).toEqual([]);
    lines.flush();
    lines.flush();
    lines.write("c\n");
    lines.flush();
    expect(sink.writes).toEqual(["a\nb\n", "c\n"]);
    expect(lines.dropped()).toBe(0);
  });

  it("does not wait when much has come together", () => {
    const sink = sinkOf();
    const lines = bufferLines(sink, { bufferMax: 4 });
    lines.write("a\n");
    expect(sink.writes).toEqual([]);
    lines.write("b\n");
    expect(sink.writes).toEqual(["a\nb\n"]);
  });

  it.each([
    { why: "as far behind as it may be", behind: 10, written: 1, dropped: 0 },
    { why: "further behind", behind: 11, written: 0, dropped: 2 },
  ])("a reader that is $why: $dropped dropped", ({ behind, written, dropped }) => {
    const sink = sinkOf({ behind: () => behind });
    const lines = bufferLines(sink, { behindMax: 10 });
    lines.write("a\n");
    lines.write("b\n");
    lines.flush();
    expect([sink.writes.length, lines.dropped()]).toEqual([written, dropped]);
  });

  it("counts what a sink says later that it could not write", () => {
    const ends: ((error?: Error | null) => void)[] = [];
    const lines = bufferLines({ write: (_text, done) => void ends.push(done ?? (() => {})) });
    lines.write("a\n");
    lines.write("b\n");
    lines.flush();
    lines.write("c\n");
    lines.flush();
    ends[0]?.(new Error("EPIPE"));
    ends[1]?.(null);
    expect(lines.dropped()).toBe(2);
  });

  it("counts what a sink that throws did not take, and goes on when it works again", () => {
    let isFull = true;
    const sink = sinkOf({ fail: () => isFull });
    const lines = bufferLines(sink);
    lines.write("lost\n");
    lines.flush();
    isFull = false;
    lines.write("kept\n");
    lines.flush();
    expect([sink.writes, lines.dropped()]).toEqual([["kept\n"], 1]);
  });
});

function listen() {
  const clock = { nowMs: 1_000_000 };
  const lines: Record<string, unknown>[] = [];
  let dropped = 0;
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)) }, "info");
  const tell = logStoreFailures(log, {
    nowMs: () => clock.nowMs,
    onDropped: () => {
      dropped += 1;
    },
  });
  return { clock, lines, tell, dropped: () => dropped };
}

const full = (cause?: Error) => Object.assign(new Error("secret", { cause }), { code: "SQLITE_FULL" });

describe("failures of a store", () => {
  it("are one line for a commit, however many requests waited for it", () => {
    const { tell, lines, dropped } = listen();
    const error = full();
    tell("quota commit", error);
    for (let waiter = 0; waiter < 100; waiter += 1) tell("quota", error);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ where: "quota commit", code: "SQLITE_FULL", msg: "store failed" });
    expect(lines[0]?.["frames"]).toEqual(expect.any(Array));
    expect(lines[0]).not.toHaveProperty("failures");
    expect(dropped()).toBe(0);
  });

  it("are one line a second of each kind, which says for how many it stands", () => {
    const { tell, lines, clock, dropped } = listen();
    for (let commit = 0; commit < 400; commit += 1) tell("quota commit", full());
    tell("keys", full());
    expect(lines.map(({ where }) => where)).toEqual(["quota commit", "keys"]);
    expect(dropped()).toBe(399);
    clock.nowMs += 999;
    tell("quota commit", full());
    expect(lines).toHaveLength(2);
    clock.nowMs += 1;
    tell("quota commit", full());
    expect(lines[2]).toMatchObject({ where: "quota commit", failures: 401 });
    clock.nowMs += 1_000;
    tell("quota commit", full());
    expect(lines[3]).not.toHaveProperty("failures");
  });

  it("are written again after a clock was set back", () => {
    const { tell, lines, clock } = listen();
    tell("keys", full());
    clock.nowMs -= 60_000;
    tell("keys", full());
    expect(lines).toHaveLength(2);
  });

  it("name what the system said below, and never a message", () => {
    const { tell, lines } = listen();
    tell("quota", full(Object.assign(new Error("secret"), { code: "ENOSPC" })));
    tell("quota", "secret");
    expect(lines).toMatchObject([{ code: "SQLITE_FULL", cause: "ENOSPC" }, { error: "string" }]);
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("name the first cause of all, too: the setting for which Redis was refused", () => {
    const { tell, lines } = listen();
    const refused = redisFailure("REDIS_REFUSED", "APPENDONLY_NOT_YES");
    tell("keys", storeFailure("KEYS_STALE", "secret", refused));
    tell("quota commit", refused);
    expect(lines).toMatchObject([
      { code: "KEYS_STALE", cause: "REDIS_REFUSED", reason: "APPENDONLY_NOT_YES" },
      { code: "REDIS_REFUSED", cause: "APPENDONLY_NOT_YES" },
    ]);
    expect(lines[1]).not.toHaveProperty("reason");
  });
});
