import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openDoor } from "./hostile-door.ts";
import { LIVE_SOURCES, type LiveSource, useHostileStage } from "./hostile-stage.ts";

/** What a server does to whoever asks it, whatever it was asked. */
type Send = (response: ServerResponse) => void;

/** What is said of it by both sources, and after how many requests it is given up. */
interface Outcome {
  readonly says: string | RegExp;
  readonly requests: number | Readonly<Record<LiveSource, number>>;
  /** It takes its time, of which it is given little. */
  readonly isSlow?: boolean;
}

/** An answer that would be JSON; the key in it must be shown to nobody. */
const JSON_HEAD = { "content-type": "application/json", "x-echo": "secret-key" };
/** The head of one on the bare connection, still open. */
const OK = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** A whole answer, as servers write it. */
function sendBody(body: string | Buffer, head: Record<string, string> = {}, status = 200): Send {
  return (response) => void response.writeHead(status, { ...JSON_HEAD, ...head }).end(body);
}

/** A body of another encoding than plain text. */
const sendPacked = (encoding: string, body: string | Buffer) =>
  sendBody(body, { "content-encoding": encoding });

/** A redirect, which nobody follows. */
const redirectTo = (location: string) => sendBody("", { location }, 307);

/** A rate limit that says when to come back. */
const limitUntil = (retryAfter: string) =>
  sendBody('{"error":"unauthorized","error_description":"secret-key"}', { "retry-after": retryAfter }, 429);

/** Bytes on the bare connection, as no server of HTTP would write them. */
function sendBytes(bytes: string): Send {
  return ({ socket }) => void socket?.end(bytes);
}

/** The same bytes again and again, as fast as they are taken and no faster, until the other side leaves. */
function sendForEver(first: string, again: string): Send {
  return ({ socket }) => {
    const more = () => {
      while (socket?.writable === true && socket.write(again));
    };
    socket?.on("error", () => {}).on("drain", more);
    socket?.write(first);
    more();
  };
}

/** One byte every few milliseconds: never silent, never done. */
function drip(first: string, byte: string): Send {
  return ({ socket }) => {
    socket?.write(first);
    const timer = setInterval(() => socket?.write(byte), 20);
    socket?.on("error", () => {}).on("close", () => clearInterval(timer));
  };
}

const BLANK = Buffer.alloc(64 * 1024 * 1024, " ");
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const MORE = `x-more: ${"x".repeat(1_000)}\r\n`;
const EMPTY = '{"data":{"space":null}}';

const OUTCOMES: readonly (Outcome & { readonly of: Readonly<Record<string, Send>> })[] = [
  {
    says: /answer is too large|with code 413/,
    requests: 1,
    of: {
      "64 MB in 64 kB of gzip": sendPacked("gzip", gzipSync(BLANK)),
      "64 MB in 64 kB of deflate": sendPacked("deflate", deflateSync(BLANK)),
      "64 MB in less of brotli": sendPacked("br", brotliCompressSync(BLANK, FAST)),
      "a body without a length or an end": sendForEver(`${OK}\r\n`, " ".repeat(64 * 1024)),
      "a million lists, an object each": sendBody(`[${"[],".repeat(1_000_000)}1]`),
    },
  },
  {
    says: "nested deeper than 64 levels",
    requests: 1,
    of: {
      "100,000 brackets, where a walk by recursion ends": sendBody("[".repeat(1e5) + "]".repeat(1e5)),
      "100,000 brackets that never close": sendBody('{"a":'.repeat(1e5)),
    },
  },
  {
    says: "took too long for one answer",
    requests: 2,
    isSlow: true,
    of: {
      "a body that drips": drip(`${OK}content-length: 100000\r\n\r\n`, " "),
      "a body that stops": (response) => void response.writeHead(200, JSON_HEAD).write('{"data":'),
      "headers that drip": drip("HTTP/1.1 200 OK\r\nx-more: ", "x"),
      "no answer at all": () => {},
      "promises of an answer, for ever": sendForEver("", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"),
    },
  },
  {
    says: "closed the connection",
    requests: 2,
    of: {
      "a length past the end of the connection": sendBytes(`${OK}content-length: 1000\r\n\r\n{"data":{}}`),
      "a connection that ends": ({ socket }) => void socket?.destroy(),
    },
  },
  {
    says: "something that is not",
    requests: 2,
    of: {
      "a length whose rest is taken for another answer": sendBytes(`${OK}content-length: 4\r\n\r\n${EMPTY}`),
    },
  },
  {
    says: "of another length than announced",
    requests: 2,
    of: { "two lengths": sendBytes(`${OK}content-length: 2\r\ncontent-length: 23\r\n\r\n${EMPTY}`) },
  },
  {
    says: "not HTTP",
    requests: 2,
    of: {
      "a chunk of impossible size": sendBytes(
        `${OK}transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n{}\r\n`,
      ),
      "another service": sendBytes("SSH-2.0-secret-key\r\n\r\n"),
    },
  },
  {
    says: "truncated",
    requests: 2,
    of: { "gzip that is cut": sendPacked("gzip", gzipSync(EMPTY).subarray(0, 25)) },
  },
  {
    says: "cannot be decoded",
    requests: 2,
    of: {
      "gzip that is none": sendPacked("gzip", '{"data":{}}'),
      "brotli that is none": sendPacked("br", Buffer.alloc(40, 255)),
    },
  },
  {
    says: "unsupported content-encoding",
    requests: 1,
    of: {
      "zstd, which nobody asked for": sendPacked("zstd", "{}"),
      "gzip in gzip, which multiplies": sendPacked("gzip, gzip", gzipSync(gzipSync("{}"))),
    },
  },
  {
    says: "answered 200 with a web page",
    requests: 2,
    of: { "the page of a firewall": sendBody("<!DOCTYPE html><h1>secret-key</h1>") },
  },
  {
    says: "with something that is not JSON",
    requests: 2,
    of: {
      nothing: sendBody(""),
      NaN: sendBody('{"data":{"space":NaN}}'),
      "bytes that are no text": sendBody(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    },
  },
  {
    says: "headers that are too long",
    requests: 1,
    of: {
      "endless headers": sendForEver("HTTP/1.1 200 OK\r\n", MORE),
      "endless trailers": sendForEver(`${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`, MORE),
      "a Retry-After without an end": sendForEver(
        "HTTP/1.1 429 Too Many Requests\r\nretry-after: ",
        "x".repeat(64 * 1024),
      ),
    },
  },
  {
    says: "longer than our limit of 120 s",
    requests: 1,
    of: {
      "a limit for a day": limitUntil("86400"),
      "a limit for a hundred years": limitUntil("Sun, 06 Nov 2094 08:49:37 GMT"),
    },
  },
  {
    says: "answered 429",
    requests: 2,
    of: {
      "a limit until a time of 24 digits": limitUntil("9".repeat(24)),
      "a limit until a time gone by": limitUntil("Sun, 06 Nov 1994 08:49:37 GMT"),
      "a limit until __proto__": limitUntil("__proto__"),
    },
  },
  {
    says: /answered 500|refused the query: Variable of a wrong type/,
    // What a hub says is final; a node says nothing in this form.
    requests: { hub: 1, node: 2 },
    of: { "500 with GraphQL": sendBody('{"errors":[{"message":"Variable of a wrong type"}]}', {}, 500) },
  },
  {
    says: "another address of its own",
    requests: 1,
    of: {
      "a redirect to itself": redirectTo("/"),
      "headers with names that every object has": sendBytes(
        "HTTP/1.1 302 Found\r\n__proto__: a\r\nconstructor: b\r\ntoString: c\r\nlocation: /\r\ncontent-length: 0\r\n\r\n",
      ),
    },
  },
  {
    says: "another host",
    requests: 1,
    of: {
      "a redirect to another host": redirectTo("https://other.example/secret-key"),
      "a redirect to a file": redirectTo("file:///etc/passwd"),
    },
  },
  { says: "answered 307", requests: 1, of: { "a redirect to nowhere": redirectTo("http://[") } },
];

const ROWS = OUTCOMES.flatMap(({ of, ...outcome }) =>
  Object.entries(of).map(([name, send]) => ({ name, send, ...outcome })),
);

const stage = useHostileStage();
/** Gives an answer a fifth of a second; nothing that is expected to come is asked through it. */
const openHurried = () => openDoor({ attemptTimeoutMs: 200 });

describe.each(LIVE_SOURCES)("a fetch from a %s fails, and what is held stays", (source) => {
  // The door's clock is the same whoever is behind it, and waiting takes its time: one source shows it.
  const rows = ROWS.filter(({ isSlow }) => isSlow !== true || source === "hub");
  it.each(rows)("at $name", async ({ send, says, requests, isSlow }) => {
    const before = stage.facts();
    stage.asked(source);
    stage.sendInstead(send);
    const hurried = isSlow === true ? openHurried() : undefined;
    const record = await stage.fetch(source, hurried);
    await hurried?.close();
    expect(record).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
    expect(record.error?.message).toMatch(says);
    expect(JSON.stringify(record)).not.toContain("secret-key");
    expect(stage.asked(source)).toBe(typeof requests === "number" ? requests : requests[source]);
    expect(stage.facts()).toEqual(before);
    stage.sendInstead(undefined);
    expect(await stage.fetch(source)).toMatchObject({ status: "complete", rejected: {} });
    expect(stage.facts()).toEqual(before);
  });
});
