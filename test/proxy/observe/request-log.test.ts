import { describe, expect, it } from "vitest";
import { createLog } from "../../../proxy/observe/create-log.ts";
import { createRequestLog } from "../../../proxy/observe/request-log.ts";
import type { FinishedRequest } from "../../../proxy/request/handle-request.ts";

const FINISHED: FinishedRequest = {
  requestId: "0123456789abcdef01234567",
  method: "GET",
  route: "/v1/entities/:entity_id",
  status: 200,
  keyId: "key_0123456789ab",
  tier: "pro",
  problem: undefined,
  ms: 1.23456,
  isAborted: false,
};

function logged(level: string, rules?: { linesPerSecondMax: number; oneIn: number }) {
  const lines: string[] = [];
  let dropped = 0;
  const log = createLog({ write: (line) => void lines.push(line) }, level);
  const { observe } = createRequestLog(log, {
    ...rules,
    nowMs: () => 0,
    onDropped: () => {
      dropped += 1;
    },
  });
  return { observe, parsed: () => lines.map((line) => JSON.parse(line)), dropped: () => dropped };
}

describe("createRequestLog", () => {
  it("writes what is known, and nothing else", () => {
    const { observe, parsed } = logged("info");
    observe(FINISHED);
    const [{ time, ...line }] = parsed();
    expect(time).toEqual(expect.any(Number));
    expect(line).toEqual({
      level: 30,
      reqId: FINISHED.requestId,
      method: "GET",
      route: FINISHED.route,
      status: 200,
      keyId: FINISHED.keyId,
      ms: 1.23,
      msg: "request",
    });
  });

  it("says when the caller hung up", () => {
    const { observe, parsed } = logged("info");
    observe({ ...FINISHED, keyId: undefined, isAborted: true });
    expect(parsed()[0]).toMatchObject({ aborted: true });
    expect(parsed()[0]).not.toHaveProperty("keyId");
  });

  it("says of how many a thinned line stands, and counts the others", () => {
    const { observe, parsed, dropped } = logged("info", { linesPerSecondMax: 1, oneIn: 3 });
    for (let n = 0; n < 7; n += 1) observe(FINISHED);
    expect(parsed().map((line) => line.sampled)).toEqual([undefined, 3, 3]);
    expect(dropped()).toBe(4);
    observe({ ...FINISHED, status: 500 });
    expect(parsed().at(-1)).toMatchObject({ status: 500 });
  });

  it.each(["warn", "error", "silent"])("writes and counts nothing at level %s", (level) => {
    const { observe, parsed, dropped } = logged(level, { linesPerSecondMax: 0, oneIn: 2 });
    observe(FINISHED);
    expect([parsed().length, dropped()]).toEqual([0, 0]);
  });

  it("keeps nothing of what it was given: one object may be filled again and again", () => {
    const { observe, parsed } = logged("info");
    const reused = { ...FINISHED };
    observe(reused);
    reused.status = 404;
    observe(reused);
    expect(parsed().map((line) => line.status)).toEqual([200, 404]);
  });
});
