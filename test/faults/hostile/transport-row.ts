import type { ServerResponse } from "node:http";

/** Something a server does to whoever asks it, whatever it was asked. */
export interface TransportRow {
  readonly name: string;
  readonly why: string;
  send(response: ServerResponse): void;
  /** A part of what is said of it, by both sources. */
  readonly says: string | RegExp;
  /** Requests after which it is given up, by source where they differ. */
  readonly requests: number | { readonly hub: number; readonly node: number };
  /** It takes its time, of which it is given little. */
  readonly isSlow?: boolean;
}

/** An answer that would be JSON; the key in it must be shown to nobody. */
export const JSON_HEAD = { "content-type": "application/json", "x-echo": "secret-key" };
/** The head of one on the bare connection, still open. */
export const OK = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** A whole answer, as servers write it. */
export function sendBody(body: string | Buffer, head: Record<string, string> = {}, status = 200) {
  return (response: ServerResponse) => void response.writeHead(status, { ...JSON_HEAD, ...head }).end(body);
}

/** Bytes on the bare connection, as no server of HTTP would write them. */
export function sendBytes(...parts: readonly (string | Buffer)[]) {
  return ({ socket }: ServerResponse) => {
    for (const part of parts) socket?.write(part);
    socket?.end();
  };
}

/** The same bytes again and again, as fast as they are taken and no faster, until the other side leaves. */
export function sendForEver(first: string, again: string) {
  return ({ socket }: ServerResponse) => {
    const more = () => {
      while (socket?.writable === true && socket.write(again));
    };
    socket?.on("error", () => {}).on("drain", more);
    socket?.write(first);
    more();
  };
}

/** One byte every few milliseconds: never silent, never done. */
export function drip(first: string, byte: string) {
  return ({ socket }: ServerResponse) => {
    socket?.write(first);
    const timer = setInterval(() => socket?.write(byte), 20);
    socket?.on("error", () => {}).on("close", () => clearInterval(timer));
  };
}
