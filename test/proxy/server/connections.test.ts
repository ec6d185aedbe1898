import { EventEmitter } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tendConnections } from "../../../proxy/server/connections.ts";
import { CONNECTION_LIMITS } from "../../../proxy/server/limits.ts";
import { isOutOfFiles, parseOpenFilesMax, planConnections } from "../../../proxy/server/open-files.ts";

describe("tendConnections", () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  /** A guarded server and a way to connect to it: the caller's end, and the server's. */
  async function listen(connectionsMax: number) {
    const server = createServer();
    const { admitted } = tendConnections(server, { ...CONNECTION_LIMITS, connectionsMax }, () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const callers: Socket[] = [];
    ends.push(() => {
      for (const caller of callers) caller.destroy();
      server.close();
    });
    const openMany = async (accounts: readonly (string | undefined)[]) => {
      const sockets = [];
      for (const account of accounts) sockets.push(await open(account));
      return sockets;
    };
    const open = async (account?: string) => {
      const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
      const caller = connect({ host: "127.0.0.1", port });
      callers.push(caller);
      caller.on("error", () => {}).resume();
      const socket = await accepted;
      if (account !== undefined) admitted(socket, account);
      return socket;
    };
    return { open, openMany, admitted };
  }

  /** Which of the connections still stand. */
  const standing = (sockets: readonly Socket[]) => sockets.map((socket) => !socket.destroyed);

  it("lets half of all be newcomers, and drops the oldest for one more", async () => {
    const { openMany } = await listen(8);
    const sockets = await openMany(Array(6).fill(undefined));
    expect(standing(sockets)).toEqual([false, false, true, true, true, true]);
  });

  it("never drops one that was admitted for a newcomer", async () => {
    const { openMany } = await listen(8);
    const kept = await openMany(["a", "b", "b"]);
    const newcomers = await openMany(Array(5).fill(undefined));
    expect(standing(kept)).toEqual([true, true, true]);
    expect(standing(newcomers)).toEqual([false, true, true, true, true]);
  });

  it("keeps a quarter of all for one account, and takes the rest of its connections for newcomers", async () => {
    const { openMany } = await listen(8);
    const sockets = await openMany(Array(4).fill("a"));
    const others = await openMany(Array(3).fill(undefined));
    // Two are kept, two are the oldest newcomers; three others make one too many.
    expect(standing(sockets)).toEqual([true, true, false, true]);
    expect(standing(others)).toEqual([true, true, true]);
  });

  it("gives an account its share again when its connections close, counted once each", async () => {
    const { open, openMany, admitted } = await listen(8);
    const first = await open("a");
    admitted(first, "a");
    const second = await open("a");
    const closed = new Promise((resolve) => first.once("close", resolve));
    first.destroy();
    await closed;
    const third = await open("a");
    await openMany(Array(6).fill(undefined));
    expect(standing([second, third])).toEqual([true, true]);
  });

  it("keeps three quarters of all for all accounts together", async () => {
    const { openMany } = await listen(8);
    const sockets = await openMany(["a", "b", "c", "d", "e", "f", "g"]);
    const newcomers = await openMany([undefined, undefined]);
    // The seventh was admitted, too, but is the longest unpaid of those that are not kept.
    expect(standing(sockets)).toEqual([true, true, true, true, true, true, false]);
    expect(standing(newcomers)).toEqual([true, true]);
  });

  it("drops the longest unpaid connection if no place is left, and not the newest caller", async () => {
    const { openMany } = await listen(4);
    const sockets = await openMany(["a", "b", "c", undefined, undefined]);
    expect(standing(sockets)).toEqual([true, true, true, false, true]);
  });
});

/** A socket on which a caller sends requests, one after the other, and which holds as many bytes back as it is told. */
function fakeCaller(server: EventEmitter) {
  const socket = Object.assign(new EventEmitter(), {
    writableLength: 0,
    writableEnded: false,
    writable: true,
    bytesRead: 0,
    destroy: vi.fn(),
    resetAndDestroy: vi.fn(),
  });
  server.emit("connection", socket);
  const ask = () => {
    const response = Object.assign(new EventEmitter(), { shouldKeepAlive: true, destroyed: false });
    server.emit("request", { socket, destroy: () => {} }, response);
    return response;
  };
  return { socket, ask };
}

describe("on a clock that is set by hand", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function listening(connectionsMax = 20) {
    const server = new EventEmitter();
    const begun: unknown[] = [];
    const limits = { unpaidMax: 3, newcomersATurn: 2, answerTimeoutMs: 3_000, checkEveryMs: 1_000 };
    const { admitted } = tendConnections(
      server as Server,
      { ...CONNECTION_LIMITS, ...limits, connectionsMax },
      (request) => void begun.push(request.socket),
    );
    server.emit("listening");
    const callers = (count: number) => Array.from({ length: count }, () => fakeCaller(server));
    return { server, begun, callers, admitted: (socket: unknown) => admitted(socket as Socket, "a") };
  }

  describe("callers that do not pay", () => {
    it("lose their connection with the third unpaid response in a row", () => {
      const { callers, admitted } = listening();
      const [{ socket, ask }] = callers(1) as [ReturnType<typeof fakeCaller>];
      const kept: boolean[] = [];
      for (let count = 1; count <= 7; count += 1) {
        const response = ask();
        if (count === 2 || count === 4) admitted(socket);
        kept.push(response.shouldKeepAlive);
        response.emit("close");
      }
      expect(kept).toEqual([true, true, true, true, true, true, false]);
    });

    it("lose their place when nothing was admitted for ten seconds, and others keep theirs", () => {
      const { callers, admitted } = listening(8);
      const [idle, busy] = callers(2).map(({ socket }) => socket);
      for (const socket of [idle, busy]) admitted(socket);
      for (let second = 0; second < 11; second += 1) {
        vi.advanceTimersByTime(1_000);
        admitted(busy);
      }
      callers(4);
      expect([idle, busy].map((socket) => socket?.destroy.mock.calls.length)).toEqual([1, 0]);
    });

    it("begin by turns, in their order, while admitted callers begin at once", () => {
      const { begun, callers, admitted } = listening();
      const [paying, ...crowd] = callers(6);
      admitted(paying?.socket);
      const asked = crowd.map(({ ask }) => ask());
      paying?.ask();
      const sockets = crowd.map(({ socket }) => socket);
      expect(begun).toEqual([sockets[0], sockets[1], paying?.socket]);
      // It hung up while it waited.
      Object.assign(asked[2] ?? {}, { destroyed: true });
      vi.advanceTimersToNextTimer();
      expect(begun.slice(3)).toEqual([sockets[3]]);
      vi.advanceTimersToNextTimer();
      expect(begun.slice(4)).toEqual([sockets[4]]);
    });
  });

  describe("answers that are not taken", () => {
    it.each([
      { why: "nothing held back: never", holds: () => ({}), cutAfter: undefined },
      { why: "bytes: longer than the limit", holds: () => ({ writableLength: 1 }), cutAfter: 4 },
      {
        why: "bytes, all of which leave now and then: never",
        holds: (second: number) => ({ writableLength: second % 3 === 2 ? 0 : 100 }),
        cutAfter: undefined,
      },
      {
        why: "bytes, of which single ones leave: longer than the limit",
        holds: (second: number) => ({ writableLength: 100 - second }),
        cutAfter: 4,
      },
      {
        why: "the last answer, all of which lies with the system: half a minute",
        holds: () => ({ writableEnded: true }),
        cutAfter: 31,
      },
    ])("end a connection that holds back $why", ({ holds, cutAfter }) => {
      const { callers } = listening();
      const [socket] = callers(1).map((caller) => caller.socket);
      let cutAt: number | undefined;
      for (let second = 0; second < 40 && cutAt === undefined; second += 1) {
        Object.assign(socket ?? {}, holds(second));
        vi.advanceTimersByTime(1_000);
        if (socket?.resetAndDestroy.mock.calls.length === 1) cutAt = second + 1;
      }
      expect(cutAt).toBe(cutAfter);
    });

    it("are looked for on no socket that is closed, and on none after the server is", () => {
      const { server, callers } = listening();
      const [gone, stalled] = callers(2).map(({ socket }) => Object.assign(socket, { writableLength: 1 }));
      gone?.emit("close");
      vi.advanceTimersByTime(3_500);
      server.emit("close");
      vi.advanceTimersByTime(9_000);
      for (const socket of [gone, stalled]) expect(socket?.resetAndDestroy).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    });
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

const CONNECTIONS_MAX = CONNECTION_LIMITS.connectionsMax;

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             127441               127441               processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
`;

describe("parseOpenFilesMax", () => {
  it.each([
    { why: "the soft limit", text: LIMITS, is: 1024 },
    { why: "none", text: LIMITS.replace("1024 ", "unlimited "), is: undefined },
    { why: "another system's text", text: "open files (-n) 256", is: undefined },
    { why: "nothing", text: "", is: undefined },
  ])("reads $why", ({ text, is }) => {
    expect(parseOpenFilesMax(text)).toBe(is);
  });
});

describe("planConnections", () => {
  it.each([
    { why: "nobody knows the limit", openFilesMax: undefined, is: CONNECTIONS_MAX, isWarned: false },
    { why: "plenty", openFilesMax: 1_000_000, is: CONNECTIONS_MAX, isWarned: false },
    { why: "just enough", openFilesMax: CONNECTIONS_MAX + 128, is: CONNECTIONS_MAX, isWarned: false },
    { why: "one too few", openFilesMax: CONNECTIONS_MAX + 127, is: CONNECTIONS_MAX - 1, isWarned: true },
    { why: "what a shell often gives", openFilesMax: 1024, is: 896, isWarned: true },
    { why: "the fewest", openFilesMax: 192, is: 64, isWarned: true },
  ])("leaves room for the other files: $why", ({ openFilesMax, is, isWarned }) => {
    const { connectionsMax, warning } = planConnections(CONNECTIONS_MAX, openFilesMax);
    expect([connectionsMax, warning !== undefined]).toEqual([is, isWarned]);
    if (warning !== undefined) expect(warning).toContain(`only ${is} connections`);
  });

  it.each([191, 128, 0])("refuses a limit of %d, and says how to raise it", (openFilesMax) => {
    expect(() => planConnections(CONNECTIONS_MAX, openFilesMax)).toThrow(
      expect.objectContaining({ code: "OPEN_FILES_TOO_FEW", hint: expect.stringContaining("ulimit -n") }),
    );
  });
});

describe("isOutOfFiles", () => {
  const coded = (code: string, cause?: unknown) => Object.assign(new Error("x", { cause }), { code });
  it.each([
    { why: "this process", error: coded("EMFILE"), is: true },
    { why: "the machine", error: coded("ENFILE"), is: true },
    { why: "below another error", error: coded("SNAPSHOT_INVALID", coded("EMFILE")), is: true },
    { why: "another code", error: coded("EACCES", coded("EIO")), is: false },
    { why: "no error", error: { code: "EMFILE" }, is: false },
  ])("$why: $is", ({ error, is }) => {
    expect(isOutOfFiles(error)).toBe(is);
  });
});
