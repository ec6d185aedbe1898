import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { tendConnections } from "../../../proxy/server/connections.ts";
import { CONNECTION_LIMITS } from "../../../proxy/server/limits.ts";

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
  const open = async (account?: string) => {
    const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
    const caller = connect({ host: "127.0.0.1", port });
    callers.push(caller);
    caller.on("error", () => {}).resume();
    const socket = await accepted;
    if (account !== undefined) admitted(socket, account);
    return socket;
  };
  return { server, port, open, admitted };
}

/** Which of the connections still stand. */
const standing = (sockets: readonly Socket[]) => sockets.map((socket) => !socket.destroyed);

describe("tendConnections", () => {
  it("lets half of all be newcomers, and drops the oldest for one more", async () => {
    const { open } = await listen(8);
    const sockets = [];
    for (let count = 0; count < 6; count += 1) sockets.push(await open());
    expect(standing(sockets)).toEqual([false, false, true, true, true, true]);
  });

  it("never drops one that was admitted for a newcomer", async () => {
    const { open } = await listen(8);
    const kept = [await open("a"), await open("b"), await open("b")];
    const newcomers = [];
    for (let count = 0; count < 5; count += 1) newcomers.push(await open());
    expect(standing(kept)).toEqual([true, true, true]);
    expect(standing(newcomers)).toEqual([false, true, true, true, true]);
  });

  it("keeps a quarter of all for one account, and takes the rest of its connections for newcomers", async () => {
    const { open } = await listen(8);
    const own = [];
    for (let count = 0; count < 4; count += 1) own.push(await open("a"));
    const others = [];
    for (let count = 0; count < 3; count += 1) others.push(await open());
    // Two are kept, two are the oldest newcomers; three others make one too many.
    expect(standing(own)).toEqual([true, true, false, true]);
    expect(standing(others)).toEqual([true, true, true]);
  });

  it("gives an account its share again when its connections close, counted once each", async () => {
    const { open, admitted } = await listen(8);
    const first = await open("a");
    admitted(first, "a");
    const second = await open("a");
    const closed = new Promise((resolve) => first.once("close", resolve));
    first.destroy();
    await closed;
    const third = await open("a");
    for (let count = 0; count < 6; count += 1) await open();
    expect(standing([second, third])).toEqual([true, true]);
  });

  it("accepts and drops at once what is beyond all of them", async () => {
    const { server, port, open } = await listen(4);
    const sockets = [await open("a"), await open("b"), await open("c"), await open("d")];
    const dropped = new Promise((resolve) => server.once("drop", resolve));
    const late = connect({ host: "127.0.0.1", port });
    late.on("error", () => {});
    const closed = new Promise((resolve) => late.once("close", resolve));
    await Promise.all([dropped, closed]);
    expect(standing(sockets)).toEqual([true, true, true, true]);
  });
});
