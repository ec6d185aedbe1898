import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FinishedRequest } from "../../../proxy/request/handle-request.ts";
import { createResponses } from "../../../proxy/request/response.ts";
import type { RequestHandler } from "../../../proxy/server/crowds.ts";
import { CONNECTION_LIMITS } from "../../../proxy/server/limits.ts";
import { createWire } from "../../../proxy/server/wire.ts";
import { exchange } from "../support/exchange.ts";
import { codeOf } from "../support/faults-of-answer.ts";
import { readAnswers } from "../support/read-answers.ts";

describe("wire", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const PIPELINED_MAX = CONNECTION_LIMITS.waitingMax;
  const ASK = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const answer = (response: ServerResponse) => response.setHeader("content-length", "2").end("ok");

  /** A wire in front of a handler of our own. */
  async function listen(handler: RequestHandler, requestsPerSocketMax = 1000) {
    const seen: FinishedRequest[] = [];
    const { server } = createWire(
      {
        answers: createResponses(new Set(["https://app.example"])),
        nowMs: () => 0,
        newRequestId: () => "id",
        observers: [(finished) => void seen.push({ ...finished })],
        // Nobody is admitted here.
        connectionLimits: { requestsPerSocketMax, unpaidMax: Infinity },
      },
      handler,
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    return { server, seen, port: (server.address() as AddressInfo).port };
  }

  const statuses = (bytes: Buffer) => readAnswers(bytes).answers.map(({ status }) => status);

  describe("one request of a connection at a time", () => {
    it("begins the next one when the one before is answered, in order", async () => {
      let [under, most] = [0, 0];
      const targets: string[] = [];
      const { port } = await listen((request, response) => {
        under += 1;
        most = Math.max(most, under);
        targets.push(request.url ?? "");
        setImmediate(() => {
          under -= 1;
          answer(response);
        });
      });
      const asked = ["/a", "/b", "/c"].map((target) => ASK.replace("/", target));
      const { bytes } = await exchange(port, [asked.join("")], {
        until: (soFar) => statuses(soFar).length === 3,
      });
      expect([most, targets, statuses(bytes)]).toEqual([1, ["/a", "/b", "/c"], [200, 200, 200]]);
    });

    it("begins none of those behind a caller that hangs up, and ends the one it began", async () => {
      let [begun, ended] = [0, 0];
      let firstEnded = () => {};
      const over = new Promise<void>((resolve) => {
        firstEnded = resolve;
      });
      const { port } = await listen((request, response) => {
        begun += 1;
        response.once("close", () => {
          ended += 1;
          firstEnded();
        });
        if (begun === 1) setImmediate(() => caller.resetAndDestroy());
        else answer(response);
        expect(request.method).toBe("GET");
      });
      const caller = connect({ host: "127.0.0.1", port });
      caller.write(ASK.repeat(20));
      await over;
      await new Promise(setImmediate);
      expect([begun, ended]).toEqual([1, 1]);
    });

    it("says with the last answer that it is the last, and begins none behind it", async () => {
      let begun = 0;
      const { port } = await listen((_request, response) => {
        begun += 1;
        answer(response);
      }, 3);
      const { bytes, end } = await exchange(port, [ASK.repeat(5)]);
      const { answers } = readAnswers(bytes);
      expect(answers.map(({ headers }) => headers["connection"])).toEqual([
        "keep-alive",
        "keep-alive",
        "close",
      ]);
      expect([begun, end]).toEqual([3, "end"]);
    });

    it("lets so many wait, and destroys a connection that sends one more", async () => {
      let begun = 0;
      const { server, port } = await listen((_request, response) => {
        begun += 1;
        setImmediate(answer, response);
      });
      const patient = await exchange(port, [ASK.repeat(PIPELINED_MAX)], {
        until: (soFar) => statuses(soFar).length === PIPELINED_MAX,
      });
      expect([statuses(patient.bytes).length, begun]).toEqual([PIPELINED_MAX, PIPELINED_MAX]);
      const first = await exchange(port, [ASK.repeat(PIPELINED_MAX + 1)]);
      expect([statuses(first.bytes).length, begun]).toEqual([0, PIPELINED_MAX + 1]);
      // After one flood, the next is dropped before requests are made of it.
      let made = 0;
      server.on("request", () => {
        made += 1;
      });
      const next = await exchange(port, [ASK.repeat(1_000)]);
      expect([statuses(next.bytes).length, made]).toEqual([0, 0]);
      const after = await exchange(port, [ASK.repeat(PIPELINED_MAX)], {
        until: (soFar) => statuses(soFar).length === PIPELINED_MAX,
      });
      expect(statuses(after.bytes)).toHaveLength(PIPELINED_MAX);
    });

    it("looks into the reads of open connections, too, once there was a flood", async () => {
      const { server, port } = await listen(() => {});
      const early = connect({ host: "127.0.0.1", port });
      early.on("error", () => {});
      await new Promise((resolve) => server.once("connection", resolve));
      await exchange(port, [ASK.repeat(1_000)]);
      let made = 0;
      server.on("request", () => {
        made += 1;
      });
      const closed = new Promise((resolve) => early.on("close", resolve));
      early.write(ASK.repeat(1_000));
      await closed;
      expect(made).toBe(0);
    });

    it("destroys a connection that brings one more with a later read, without an error for each", async () => {
      const { server, port } = await listen(() => {});
      const dropped: IncomingMessage[] = [];
      server.on("request", (request) => void dropped.push(request));
      const { stackTraceLimit } = Error;
      const caller = connect({ host: "127.0.0.1", port });
      caller.on("error", () => {});
      const closed = new Promise((resolve) => caller.on("close", resolve));
      for (let reads = 1; reads <= 3; reads += 1) {
        caller.write(ASK.repeat(20));
        const count = Math.min(20 * reads, PIPELINED_MAX + 1);
        await vi.waitFor(() => expect(dropped.length).toBeGreaterThanOrEqual(count));
        if (count > PIPELINED_MAX) break;
      }
      await closed;
      const errors = dropped.map(({ errored }) => errored);
      expect(dropped.every(({ destroyed }) => destroyed)).toBe(true);
      expect(errors.slice(PIPELINED_MAX + 1).filter((error) => error !== null)).toEqual([]);
      expect(errors.filter((error) => error?.stack?.includes("\n"))).toEqual([]);
      expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    });

    it("answers a caller that has closed its own half", async () => {
      const { port } = await listen((_request, response) => void setTimeout(answer, 20, response));
      const { bytes, end } = await exchange(port, [ASK + ASK], { isHalfClosing: true });
      expect([statuses(bytes), end]).toEqual([[200, 200], "end"]);
    });

    it("answers half a request of such a caller with 400, behind the answers before it", async () => {
      const { port } = await listen((_request, response) => void setTimeout(answer, 20, response));
      const { bytes } = await exchange(port, [`${ASK}GET /v1`], { isHalfClosing: true });
      expect(statuses(bytes)).toEqual([200, 400]);
    });
  });

  describe("answers of the wire itself", () => {
    it.each([
      { why: "unreadable", text: "GARBAGE\r\n\r\n", method: "unread", status: 400 },
      { why: "readable", text: "PUT / HTTP/1.1\r\n\r\n", method: "PUT", status: 400 },
      { why: "a bad escape", text: "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", method: "GET", status: 400 },
      { why: "a tunnel", text: "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", method: "CONNECT", status: 405 },
    ])("are told once: $why", async ({ text, method, status }) => {
      const { port, seen } = await listen((_request, response) => answer(response));
      const { bytes } = await exchange(port, [text]);
      expect(statuses(bytes)).toEqual([status]);
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({
        requestId: "id",
        method,
        status,
        route: "unmatched",
        keyId: undefined,
      });
    });

    it("are open to a listed origin's page where the origin could be read, and vary by it", async () => {
      const { port } = await listen((_request, response) => answer(response));
      const [answered] = readAnswers(
        (await exchange(port, ["GET / HTTP/1.1\r\nOrigin: https://app.example\r\n\r\n"])).bytes,
      ).answers;
      expect(answered?.headers["access-control-allow-origin"]).toBe("https://app.example");
      const [unread] = readAnswers((await exchange(port, ["GARBAGE\r\n\r\n"])).bytes).answers;
      expect(unread?.headers["vary"]).toBe("x-api-key, accept-encoding, origin");
    });
  });

  describe("slow requests (row 26)", () => {
    it("answers 408 in the envelope and closes, whatever part is late; the limit is 4 s, looked at each second", async () => {
      const { port } = await listen((_request, response) => answer(response));
      const late = [
        { why: "half a request line", send: "GET /v1", want: [408] },
        { why: "half a header", send: "GET / HTTP/1.1\r\nHost: x\r\nA: ", want: [408] },
        { why: "no empty line", send: "GET /v1/dgi\r\n", want: [408] },
        { why: "half of the second one", send: `${ASK}GET /`, want: [200, 408] },
      ];
      const answers = await Promise.all(late.map(({ send }) => exchange(port, [send])));
      expect(answers.map(({ bytes }) => statuses(bytes))).toEqual(late.map(({ want }) => want));
      for (const { bytes, end } of answers) {
        expect(codeOf(readAnswers(bytes).answers.at(-1)?.bytes ?? Buffer.alloc(0))).toBe("INVALID_REQUEST");
        expect(end).toBe("end");
      }
    });

    it("cuts off a caller that talks on after its last answer, and does not take the end for one", async () => {
      const { port } = await listen((_request, response) => answer(response));
      const caller = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
      const closed = new Promise((resolve) => caller.on("close", resolve));
      caller.on("error", () => {}).resume();
      const talk = () => {
        if (caller.writable) caller.write("GARBAGE\r\n\r\n", () => setTimeout(talk, 50));
      };
      talk();
      await closed;
      expect(caller.destroyed).toBe(true);
    });
  });
});
