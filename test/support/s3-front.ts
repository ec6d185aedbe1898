import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { readUpload } from "./s3-upload.ts";

/** One request as it arrived. */
export interface FrontRequest {
  /** From 1, in the order in which they arrived since the last `forget`. */
  readonly number: number;
  readonly method: string;
  /** `/bucket/key`, decoded, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** What became of it. */
export interface FrontRecord extends FrontRequest {
  /** What the caller was told; undefined where it was cut off, or waits still. */
  readonly status: number | undefined;
  /** How many bytes of content the caller was sent. */
  readonly bytesSent: number;
}

/** What goes wrong with a request. */
export type FrontFault =
  /** The connection ends: before the server took it, after it did and nobody hears, or in the middle of the answer. */
  | { readonly kind: "cut"; readonly when: "before" | "after" | "within" }
  /** Nothing more comes until the promise is fulfilled: before the server took it, after, or in the middle of the answer. */
  | {
      readonly kind: "stall";
      readonly when: "before" | "after" | "within";
      readonly until: Promise<unknown>;
    }
  | { readonly kind: "refuse"; readonly status: number; readonly code: string }
  /** A reading gets the newest copy that was read through here before and is no longer the one stored; 404 where there was none. */
  | { readonly kind: "stale" }
  /** Other content than what is stored, whole as far as the transport can tell. */
  | { readonly kind: "change"; readonly change: (bytes: Buffer) => Buffer };

/** Which fault a request meets; asked once for each, as it arrives. */
export type FaultRule = (request: FrontRequest) => FrontFault | undefined;

/** A relay before a storage. */
export interface S3Front {
  /** `http://127.0.0.1:port`. */
  readonly endpoint: string;
  readonly records: () => readonly FrontRecord[];
  /** Empties the records; the next request is number 1. */
  readonly forget: () => void;
  /** Sets the rule in force from now on; without one everything passes. */
  readonly meet: (rule?: FaultRule) => void;
  /** Whether conditional writes are refused here as S3 refuses them; the server behind takes them all. */
  readonly enforceConditions: (isEnforced: boolean) => void;
  readonly close: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly bytes: Buffer;
}

type MutableRecord = { -readonly [Name in keyof FrontRecord]: FrontRecord[Name] };

function refusal(status: number, code: string): Answer {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return { status, headers: { "content-type": "application/xml" }, bytes: Buffer.from(xml) };
}

/** Sends it on as it was signed, the Host header too. */
function forward(
  port: number,
  agent: Agent,
  { method, url, headers }: { method: string; url: string; headers: IncomingHttpHeaders },
  bytes: Buffer,
): Promise<Answer> {
  const { "transfer-encoding": _, expect: __, connection: ___, ...kept } = headers;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        agent,
        method,
        path: url,
        headers: { ...kept, "content-length": bytes.length },
      },
      (answer) => {
        const { "transfer-encoding": _, connection: __, "keep-alive": ___, ...told } = answer.headers;
        answer
          .toArray()
          .then(
            (pieces: Buffer[]) =>
              resolve({ status: answer.statusCode ?? 0, headers: told, bytes: Buffer.concat(pieces) }),
            reject,
          );
      },
    );
    sent.once("error", reject);
    sent.end(bytes);
  });
}

/** Sends an answer, or as much of it as the fault lets through. */
async function send(
  to: ServerResponse,
  answer: Answer,
  record: MutableRecord,
  fault: FrontFault | undefined,
): Promise<void> {
  const isHead = record.method === "HEAD";
  const bytes = isHead ? Buffer.alloc(0) : answer.bytes;
  const isWithin = (fault?.kind === "cut" || fault?.kind === "stall") && fault.when === "within";
  to.writeHead(
    answer.status,
    isHead ? answer.headers : { ...answer.headers, "content-length": bytes.length },
  );
  if (isWithin) {
    const half = Math.floor(bytes.length / 2);
    to.flushHeaders();
    await new Promise((resolve) => to.write(bytes.subarray(0, half), resolve));
    record.bytesSent = half;
    if (fault.kind === "cut") return void to.destroy();
    await fault.until;
    to.end(bytes.subarray(half));
  } else to.end(bytes);
  record.bytesSent = bytes.length;
  record.status = answer.status;
}

/**
 * A relay on loopback before the storage that listens on `port`. It records requests, makes them fail as its rule says,
 * takes uploads apart as S3 does, and lets one request at a time to the server: that one replaces an object in several
 * steps, where S3 has one. The server itself does not refuse conditional writes, whatever their condition: they are
 * enforced here or not at all.
 */
export async function startS3Front(port: number): Promise<S3Front> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let records: MutableRecord[] = [];
  let rule: FaultRule | undefined;
  let isEnforcing = false;
  let last: Promise<unknown> = Promise.resolve();
  /** Distinct good copies of each object that were read through here, oldest first. */
  const copies = new Map<string, Answer[]>();

  const alone = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const done = last.then(task, task);
    last = done;
    return done;
  };
  const ask = (method: string, url: string) =>
    forward(port, agent, { method, url, headers: { host: `127.0.0.1:${port}` } }, Buffer.alloc(0));

  async function refusedCondition(url: string, headers: IncomingHttpHeaders): Promise<Answer | undefined> {
    const match = headers["if-match"];
    const noneMatch = headers["if-none-match"];
    if (match === undefined && noneMatch === undefined) return undefined;
    const { status, headers: there } = await ask("HEAD", url);
    if (match !== undefined && status === 404) return refusal(404, "NoSuchKey");
    const isRefused =
      (match !== undefined && match !== "*" && match !== there["etag"]) ||
      (noneMatch !== undefined && status === 200);
    return isRefused ? refusal(412, "PreconditionFailed") : undefined;
  }

  async function take(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const { method = "", url = "", headers } = incoming;
    const upload = readUpload(headers, body);
    if (upload.kind === "refused") return refusal(upload.status, upload.code);
    const refused = isEnforcing && method === "PUT" ? await refusedCondition(url, headers) : undefined;
    const answer =
      refused ?? (await forward(port, agent, { method, url, headers: upload.headers }, upload.bytes));
    const etag = answer.headers["etag"];
    if (method === "GET" && answer.status === 200 && etag !== undefined && headers.range === undefined) {
      const others = (copies.get(url) ?? []).filter((copy) => copy.headers["etag"] !== etag);
      copies.set(url, [...others, answer]);
    }
    return answer;
  }

  async function staleCopy({ url = "", headers }: IncomingMessage): Promise<Answer> {
    const now = (await ask("HEAD", url)).headers["etag"];
    const copy = copies.get(url)?.findLast((known) => known.headers["etag"] !== now);
    if (copy === undefined) return refusal(404, "NoSuchKey");
    if (headers["if-none-match"] !== copy.headers["etag"]) return copy;
    return { status: 304, headers: { etag: copy.headers["etag"] }, bytes: Buffer.alloc(0) };
  }

  async function serve(incoming: IncomingMessage, to: ServerResponse, record: MutableRecord): Promise<void> {
    const fault = rule?.(record);
    if (fault?.kind === "cut" && fault.when === "before") return void to.destroy();
    const body = Buffer.concat((await incoming.toArray()) as Buffer[]);
    if (fault?.kind === "stall" && fault.when === "before") await fault.until;
    let answer: Answer;
    if (fault?.kind === "refuse") answer = refusal(fault.status, fault.code);
    else if (fault?.kind === "stale") answer = await alone(() => staleCopy(incoming));
    else answer = await alone(() => take(incoming, body));
    if (fault?.kind === "change") answer = { ...answer, bytes: fault.change(answer.bytes) };
    if (fault?.kind === "cut" && fault.when === "after") return void to.destroy();
    if (fault?.kind === "stall" && fault.when === "after") await fault.until;
    await send(to, answer, record, fault);
  }

  const server = createServer((incoming, to) => {
    const { pathname, searchParams } = new URL(incoming.url ?? "", "http://storage");
    const { method = "", headers } = incoming;
    const path = decodeURIComponent(pathname);
    const record: MutableRecord = {
      number: records.length + 1,
      method,
      path,
      query: searchParams,
      headers,
      status: undefined,
      bytesSent: 0,
    };
    records.push(record);
    // A caller that went away in the middle, or a server that is being closed: there is nobody to tell.
    serve(incoming, to, record).catch(() => to.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records: () => records,
    forget: () => {
      records = [];
    },
    meet: (next) => {
      rule = next;
    },
    enforceConditions: (isEnforced) => {
      isEnforcing = isEnforced;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await last.catch(() => {});
      agent.destroy();
    },
  };
}
