import { EventEmitter } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tendConnections } from "../../../proxy/server/connections.ts";
import { CONNECTION_LIMITS } from "../../../proxy/server/limits.ts";

/** A socket that holds as many bytes back as it is told. */
function fakeSocket() {
  return Object.assign(new EventEmitter(), { writableLength: 0, resetAndDestroy: vi.fn() });
}

function listening() {
  const server = new EventEmitter();
  const limits = { ...CONNECTION_LIMITS, answerTimeoutMs: 3_000, checkEveryMs: 1_000 };
  tendConnections(server as Server, limits, () => {});
  server.emit("listening");
  return server;
}

describe("answers that are not taken", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("ends a socket that holds bytes back for longer than the limit, and no other", () => {
    const server = listening();
    const [idle, stalled] = [fakeSocket(), fakeSocket()];
    for (const socket of [idle, stalled]) server.emit("connection", socket);
    stalled.writableLength = 1;
    vi.advanceTimersByTime(3_000);
    expect(stalled.resetAndDestroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(stalled.resetAndDestroy).toHaveBeenCalledTimes(1);
    expect(idle.resetAndDestroy).not.toHaveBeenCalled();
    server.emit("close");
  });

  it("counts anew once everything has left, however often a single byte was taken before", () => {
    const server = listening();
    const [slow, trickling] = [fakeSocket(), fakeSocket()];
    for (const socket of [slow, trickling]) server.emit("connection", socket);
    for (let second = 0; second < 5; second += 1) {
      slow.writableLength = second % 3 === 2 ? 0 : 100;
      trickling.writableLength = 100 - second;
      vi.advanceTimersByTime(1_000);
    }
    expect(slow.resetAndDestroy).not.toHaveBeenCalled();
    expect(trickling.resetAndDestroy).toHaveBeenCalled();
    server.emit("close");
  });

  it("looks at no socket that is closed, and at none after the server is", () => {
    const server = listening();
    const [gone, stalled] = [fakeSocket(), fakeSocket()];
    for (const socket of [gone, stalled]) {
      server.emit("connection", socket);
      socket.writableLength = 1;
    }
    gone.emit("close");
    vi.advanceTimersByTime(3_500);
    server.emit("close");
    vi.advanceTimersByTime(9_000);
    expect(gone.resetAndDestroy).not.toHaveBeenCalled();
    expect(stalled.resetAndDestroy).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a caller that never reads", () => {
  it("is cut off, with the rest of its answer", async () => {
    const server = createServer();
    const limits = { ...CONNECTION_LIMITS, answerTimeoutMs: 100, checkEveryMs: 20 };
    tendConnections(
      server,
      limits,
      (_request, response) => void response.end(Buffer.alloc(64 * 1024 * 1024)),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const caller = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
    caller.on("error", () => {}).pause();
    const isCut = new Promise((resolve) => server.on("connection", (socket) => socket.on("close", resolve)));
    caller.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await isCut;
    caller.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
