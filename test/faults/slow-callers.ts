import { spawn, spawnSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { exchange } from "../proxy/support/exchange.ts";
import { readAnswers } from "../proxy/support/read-answers.ts";
import { type AttackedProxy, hasProc, startAttackedProxy } from "./proxy-process.ts";

/** Ways to be slow: headers, body, reading (slowhttptest's three), and reading nothing at all. */
export const SLOW_MODES = ["headers", "body", "read", "no read"] as const;
export type SlowMode = (typeof SLOW_MODES)[number];

const LOOK_EVERY_MS = 200;
/** Past this nobody waits for a socket to close any more. */
const PATIENCE_MS = 30_000;
const DELEGATES = "/v1/daos/tidewater.example/delegates?limit=100";

/** Whether the program that plays the attackers is on this machine, and sockets can be seen. */
export function canBeSlow(): boolean {
  return hasProc && spawnSync("slowhttptest", ["-h"]).error === undefined;
}

/**
 * Lets `connections` slow callers of each mode at a real proxy for some seconds, beside one good caller. Attackers are
 * sockets seen on the server's side; `longestMs` is the longest life of one, as far as it was seen.
 */
export async function slowCallers(
  modes: readonly SlowMode[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
) {
  const proxy = await startAttackedProxy();
  const socketsNow = () => proxy.state().sockets;
  const sockets = socketsNow();
  const wrong: string[] = [];
  const lives = new Map<string, { readonly fromMs: number; toMs: number }>();
  const state = { isOver: false };
  const look = () => {
    const now = performance.now();
    const open = [...socketsNow()].filter((socket) => !sockets.has(socket));
    for (const socket of open) {
      const life = lives.get(socket);
      if (life === undefined) lives.set(socket, { fromMs: now, toMs: now });
      else life.toMs = now;
    }
    return open.length;
  };
  const looking = setInterval(look, LOOK_EVERY_MS);
  try {
    const good = beGood(proxy, state, wrong);
    await Promise.all(modes.map((mode) => beSlow(proxy, mode, connections, seconds)));
    state.isOver = true;
    const msOfGood = (await good).sort((a, b) => a - b);
    const untilMs = performance.now() + PATIENCE_MS;
    while (look() > 0 && performance.now() < untilMs) await sleep(LOOK_EVERY_MS);
    const left = look();
    if (left > 0) wrong.push(`${left} sockets are still open`);
    return {
      attackers: lives.size,
      goodAnswers: msOfGood.length,
      goodP99Ms: msOfGood[Math.floor(msOfGood.length * 0.99)] ?? Number.POSITIVE_INFINITY,
      longestMs: Math.max(0, ...[...lives.values()].map(({ fromMs, toMs }) => toMs - fromMs)),
      wrong,
    };
  } finally {
    clearInterval(looking);
    await proxy.stop();
    proxy.remove();
  }
}

/** One caller after another that asks and reads, each on a connection of its own; how long each took. */
async function beGood(
  { port, keys }: AttackedProxy,
  state: { readonly isOver: boolean },
  wrong: string[],
): Promise<number[]> {
  const took: number[] = [];
  const ask = `GET /v1/dgi HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.enterprise}\r\nConnection: close\r\n\r\n`;
  while (!state.isOver) {
    const fromMs = performance.now();
    const { bytes } = await exchange(port, [ask]);
    took.push(performance.now() - fromMs);
    const status = readAnswers(bytes).answers[0]?.status;
    if (status !== 200) wrong.push(`a good caller got ${status ?? "nothing"}`);
    await sleep(20);
  }
  return took;
}

async function beSlow(
  proxy: AttackedProxy,
  mode: SlowMode,
  connections: number,
  seconds: number,
): Promise<void> {
  if (mode === "no read") return beSilent(proxy, connections, seconds);
  const { port, keys } = proxy;
  // The program has no option for a header of one's own; it sends this one as it is given.
  const accept = `*/*\r\nx-api-key: ${keys.enterprise}`;
  const ways = {
    headers: ["-H", "-i", "1", "-u", `http://127.0.0.1:${port}/v1/dgi`],
    body: ["-B", "-i", "1", "-s", "8192", "-u", `http://127.0.0.1:${port}/v1/dgi`],
    read: [
      ...["-X", "-k", "10", "-n", "1", "-w", "10", "-y", "20", "-z", "5"],
      ...["-u", `http://127.0.0.1:${port}${DELEGATES}`],
    ],
  };
  const many = ["-c", String(connections), "-r", String(connections), "-l", String(seconds), "-p", "3"];
  const child = spawn("slowhttptest", [...ways[mode], ...many, "-m", accept], { stdio: "ignore" });
  await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
}

/** Callers that ask for much and read nothing, until they are cut off. */
async function beSilent({ port, keys }: AttackedProxy, connections: number, seconds: number): Promise<void> {
  const ask = `GET ${DELEGATES} HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.enterprise}\r\n\r\n`;
  const sockets: Socket[] = [];
  for (let made = 0; made < connections; made += 1) {
    const socket = connect({ host: "127.0.0.1", port }).on("error", () => {});
    socket.pause();
    socket.write(ask.repeat(30));
    sockets.push(socket);
  }
  await sleep(seconds * 1000);
  for (const socket of sockets) socket.destroy();
}
