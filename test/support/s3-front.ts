import { createHash } from "node:crypto";
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
import { crc32 } from "node:zlib";

/** An upload as a storage would keep it, or why it would refuse it. */
type Upload =
  | { readonly kind: "good"; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }
  | { readonly kind: "refused"; readonly status: number; readonly code: string };

const LINE_END = Buffer.from("\r\n");

/** Takes the frames of `aws-chunked` off: each has its length in front, checksums may follow the last. */
function unframe(framed: Buffer): { readonly bytes: Buffer; readonly trailers: ReadonlyMap<string, string> } {
  const pieces: Buffer[] = [];
  let offset = 0;
  const line = (): string => {
    const end = framed.indexOf(LINE_END, offset);
    if (end === -1) throw new Error("a framed upload that ends within a line");
    const text = framed.toString("latin1", offset, end);
    offset = end + LINE_END.length;
    return text;
  };
  for (;;) {
    const length = Number.parseInt(line(), 16);
    if (!(length > 0)) break;
    pieces.push(framed.subarray(offset, offset + length));
    offset += length + LINE_END.length;
  }
  const trailers = new Map<string, string>();
  while (offset < framed.length) {
    const [name = "", ...value] = line().split(":");
    if (name !== "") trailers.set(name.toLowerCase(), value.join(":").trim());
  }
  return { bytes: Buffer.concat(pieces), trailers };
}

function digestsOf(bytes: Buffer): Readonly<Record<string, () => string>> {
  const hash = (name: string, form: "hex" | "base64") => createHash(name).update(bytes).digest(form);
  return {
    "content-md5": () => hash("md5", "base64"),
    "x-amz-checksum-crc32": () => {
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(bytes));
      return sum.toString("base64");
    },
    "x-amz-checksum-sha1": () => hash("sha1", "base64"),
    "x-amz-checksum-sha256": () => hash("sha256", "base64"),
  };
}

/**
 * What a client sent, without its frames, its checksums compared. The server behind takes frames for content and
 * looks at no checksum; S3 does neither.
 */
function readUpload(headers: IncomingHttpHeaders, body: Buffer): Upload {
  const encodings = (headers["content-encoding"] ?? "").split(/\s*,\s*/).filter((name) => name !== "");
  const isFramed = encodings.includes("aws-chunked");
  const { bytes, trailers } = isFramed ? unframe(body) : { bytes: body, trailers: new Map<string, string>() };
  const claimed = (name: string): string | undefined => {
    const value = trailers.get(name) ?? headers[name];
    return typeof value === "string" ? value : undefined;
  };
  for (const [name, digest] of Object.entries(digestsOf(bytes))) {
    const value = claimed(name);
    if (value !== undefined && value !== digest()) return { kind: "refused", status: 400, code: "BadDigest" };
  }
  const signed = claimed("x-amz-content-sha256") ?? "";
  if (/^[0-9a-f]{64}$/.test(signed) && createHash("sha256").update(bytes).digest("hex") !== signed) {
    return { kind: "refused", status: 400, code: "XAmzContentSHA256Mismatch" };
  }
  const { "content-encoding": _, "x-amz-trailer": __, ...rest } = headers;
  const others = encodings.filter((name) => name !== "aws-chunked").join(",");
  const kept = others === "" ? rest : { ...rest, "content-encoding": others };
  return { kind: "good", headers: kept, bytes };
}

/** One received request. */
export interface FrontRequest {
  /** From 1, in the order of arrival since the last `forget`. */
  readonly number: number;
  readonly method: string;
  /** `/bucket/key`, decoded, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** A request and its outcome. */
export interface FrontRecord extends FrontRequest {
  /** The status of the response; undefined if the connection was cut or the caller is still waiting. */
  readonly status: number | undefined;
  /** Bytes of content sent to the caller. */
  readonly bytesSent: number;
}

/** A fault of a request. */
export type FrontFault =
  /** The connection ends: before the server gets the request, after it but before the response, or in the middle of it. */
  | { readonly kind: "cut"; readonly when: "before" | "after" | "within" }
  /** Nothing is transferred until the promise resolves: before the server gets the request, or in the middle. */
  | { readonly kind: "stall"; readonly when: "before" | "within"; readonly until: Promise<unknown> }
  | { readonly kind: "refuse"; readonly status: number; readonly code: string }
  /** A read returns the newest outdated copy that was read here before; 404 if there is none. */
  | { readonly kind: "stale" }
  /** Wrong content, complete as far as the transport can tell. */
  | { readonly kind: "change"; readonly change: (bytes: Buffer) => Buffer };

/** Returns the fault of a request; called once for each request on arrival. */
export type FaultRule = (request: FrontRequest) => FrontFault | undefined;

/** A relay in front of a storage. */
export interface S3Front {
  /** `http://127.0.0.1:port`. */
  readonly endpoint: string;
  readonly records: () => readonly FrontRecord[];
  /** Clears the records; the next request is number 1. */
  readonly forget: () => void;
  /** Sets the current rule; without a rule everything passes. */
  readonly meet: (rule?: FaultRule) => void;
  /** Whether the relay enforces the conditions of writes like S3; the server behind it ignores them. */
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

/** Forwards a request with the signed headers, including Host. */
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
        const { "transfer-encoding": _, connection: __, "keep-alive": ___, ...kept } = answer.headers;
        answer
          .toArray()
          .then(
            (pieces: Buffer[]) =>
              resolve({ status: answer.statusCode ?? 0, headers: kept, bytes: Buffer.concat(pieces) }),
            reject,
          );
      },
    );
    sent.once("error", reject);
    sent.end(bytes);
  });
}

/** Sends a response, or the part of it that the fault allows. */
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
 * Starts a relay on loopback for the storage that listens on `port`. It records requests, makes them fail by its rule and
 * decodes uploads like S3. It forwards one request at a time, because the server replaces objects in several steps, and
 * S3 in one. The server ignores the conditions of writes, so only the relay can enforce them.
 */
export async function startS3Front(port: number): Promise<S3Front> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let records: MutableRecord[] = [];
  let rule: FaultRule | undefined;
  let isEnforcing = false;
  let last: Promise<unknown> = Promise.resolve();
  /** Distinct good copies of each object that were read here, oldest first. */
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
    const { status, headers: head } = await ask("HEAD", url);
    if (match !== undefined && status === 404) return refusal(404, "NoSuchKey");
    const isRefused =
      (match !== undefined && match !== "*" && match !== head["etag"]) ||
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
    // The caller has disconnected, or the server is closing.
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
