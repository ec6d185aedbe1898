import { describe, expect, it } from "vitest";
import { bufferLines } from "../../../proxy/observe/create-log.ts";

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
