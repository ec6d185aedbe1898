import { once } from "node:events";
import { connect } from "node:net";

/** A whole answer, and what its headers say of the quota. */
export interface LaneAnswer {
  readonly status: number;
  /** Epoch seconds, and the seconds until then; not a number where the answer does not say. */
  readonly resetAtS: number;
  readonly secondsToReset: number;
  readonly sentAtMs: number;
  readonly gotAtMs: number;
}

/** One caller, whose requests follow one another on a connection that is kept until an answer says that it ends. */
export interface Lane {
  /** The next answer; nothing where the connection ended before a whole one came, or nobody listens any more. */
  readonly ask: () => Promise<LaneAnswer | undefined>;
  readonly close: () => void;
}

/** Connects; nothing where nobody listens. */
export async function openLane(address: string, key: string, path = "/v1/dgi"): Promise<Lane | undefined> {
  let connection = await openConnection(address);
  if (connection === undefined) return undefined;
  const request = `GET ${path} HTTP/1.1\r\nHost: stage\r\nx-api-key: ${key}\r\n\r\n`;
  return {
    ask: async () => {
      const sentAtMs = Date.now();
      connection ??= await openConnection(address);
      const said = await connection?.ask(request);
      if (said === undefined) return undefined;
      if (said.isLast) {
        connection?.close();
        connection = undefined;
      }
      return { ...said, sentAtMs, gotAtMs: Date.now() };
    },
    close: () => connection?.close(),
  };
}

async function openConnection(address: string) {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  let waiting: (() => void) | undefined;
  let isOver = false;
  const wake = () => {
    const woken = waiting;
    waiting = undefined;
    woken?.();
  };
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += chunk;
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isOver = true;
    wake();
  });
  try {
    await once(socket, "connect");
  } catch {
    return undefined;
  }
  return {
    ask: async (request: string) => {
      socket.write(request);
      for (;;) {
        const answer = wholeAnswer(text);
        if (answer !== undefined) {
          text = text.slice(answer.length);
          return answer.said;
        }
        if (isOver) return undefined;
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
      }
    },
    close: () => socket.destroy(),
  };
}

/** The first answer of what came, once it is whole. */
function wholeAnswer(text: string) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const header = (name: RegExp) => Number(name.exec(head)?.[1] ?? Number.NaN);
  const length = end + 4 + header(/\r\ncontent-length: (\d+)/i);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${head.slice(0, 200)}`);
  if (text.length < length) return undefined;
  const said = {
    status: Number(head.slice(9, 12)),
    resetAtS: header(/\r\nx-ratelimit-reset: (\d+)/i),
    secondsToReset: header(/\r\nratelimit: "daily";r=\d+;t=(\d+)/i),
    isLast: /\r\nconnection: close(\r\n|$)/i.test(head),
  };
  return { length, said };
}
