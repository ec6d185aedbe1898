import type { IncomingMessage, ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { encodeCanonical } from "../../snapshots/format/canonical-json.ts";
import { type DocumentKind, ErrorEnvelope } from "../../snapshots/format/envelope.ts";
import { ACCESS_TIERS, type AccessTier, byTier } from "../../snapshots/format/value-sets.ts";
import {
  compress,
  representationOf,
  type SnapshotReader,
} from "../../snapshots/store/read/snapshot-reader.ts";
import {
  addCorsLines,
  addQuotaLines,
  type CorsOrigins,
  type HeaderLines,
  type QuotaStatus,
  REVALIDATE,
  standardLines,
  statusLines,
} from "./headers.ts";
import { PROBLEMS, type Problem } from "./problems.ts";
import { type ContentEncoding, matchesEtag, negotiateEncoding } from "./request-head.ts";

/** The bytes of a body in one encoding, and the strong ETag of exactly these bytes. */
interface EncodedBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface BodyResponse {
  readonly kind: "body";
  /** Gives the body in the encoding that the caller prefers; always the same object for the same bytes. */
  readonly encode: (encoding: ContentEncoding) => EncodedBody;
  /** What it keeps in memory, in all encodings that it holds. */
  readonly bytes: number;
  /** False for entities: no cache may store them, and they have no ETag. */
  readonly mayBeKept: boolean;
  readonly snapshotVersion: string;
}

/** What an endpoint decided: a body to send, or the problem it met. */
export type EndpointResponse =
  | BodyResponse
  | { readonly kind: "problem"; readonly problem: Problem; readonly reason?: string };

/** A problem; `reason` is a published sentence that follows its message. */
export function problem(name: Problem, reason?: string): EndpointResponse {
  return { kind: "problem", problem: name, ...(reason === undefined ? {} : { reason }) };
}

/** A ready document of the snapshot as a response, or `absent` where there is none. No cache may store entities. */
export function documentResponse(
  snapshot: SnapshotReader,
  kind: DocumentKind,
  id: string,
  absent: Problem,
): EndpointResponse {
  const document = snapshot.document(kind, id);
  if (document === undefined) return problem(absent);
  const { identity, gzip, brotli } = document;
  return {
    kind: "body",
    encode: (encoding) => (encoding === "br" ? brotli : document[encoding]),
    bytes: identity.bytes.length + gzip.bytes.length + brotli.bytes.length,
    mayBeKept: kind !== "entity",
    snapshotVersion: snapshot.version,
  };
}

/** A body in each encoding, compressed when somebody first wants it so. */
export function encodings(bytes: Buffer): (encoding: ContentEncoding) => EncodedBody {
  const made = new Map<ContentEncoding, EncodedBody>();
  return (encoding) => {
    const known = made.get(encoding);
    if (known !== undefined) return known;
    const body = representationOf(encoding === "identity" ? bytes : compress(bytes, encoding));
    made.set(encoding, body);
    return body;
  };
}

/** Bytes that are the same for everybody while the program runs. */
export interface StaticBody {
  readonly type: string;
  readonly encode: (encoding: ContentEncoding) => EncodedBody;
}

export function staticBody(type: string, bytes: Buffer): StaticBody {
  return { type, encode: encodings(bytes) };
}

/** A response but for what differs from one request to the next: id, CORS and quota. */
export interface ReadyResponse {
  readonly status: number;
  /** The lines of every response, with an empty request id. */
  readonly head: HeaderLines;
  /** The lines that follow the quota's. */
  readonly tail: HeaderLines;
  /** A latin1 string, or bytes; nothing where there is no body. */
  readonly body: string | Buffer | undefined;
}

interface AnsweredRequest {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A body this short leaves in one write with its headers when it is a string, which costs a tenth less. */
const TEXT_BYTES_MAX = 4_096;

/** Said with the last response of a connection. */
const CLOSE = ["connection", "close"];

const sendable = (bytes: Buffer) => (bytes.length <= TEXT_BYTES_MAX ? bytes.toString("latin1") : bytes);

/** Where the request's id stands in the lines that every response begins with. */
const ID_AT = standardLines("", { hasCors: false }).length - 1;

/** Prepares answers once and writes them: every response of the API leaves this process by `write`. */
export function createResponses(corsOrigins: CorsOrigins) {
  const hasCors = corsOrigins.size > 0;
  const heads = {
    notStored: standardLines("", { hasCors }),
    revalidated: standardLines("", { cacheControl: REVALIDATE, hasCors }),
  };
  const envelopeOf = ({ status, code, message, retryAfterSeconds }: (typeof PROBLEMS)[Problem]) => {
    const bytes = encodeCanonical(ErrorEnvelope, { error: { code, message } });
    const tail = [...statusLines(status, retryAfterSeconds), ...lengthLine(bytes)];
    return { status, head: heads.notStored, tail, body: sendable(bytes) };
  };
  const problems = new Map(Object.entries(PROBLEMS).map(([name, outcome]) => [name, envelopeOf(outcome)]));
  const bodies = new WeakMap<
    EncodedBody,
    { readonly ok: ReadyResponse; readonly notModified: ReadyResponse }
  >();

  const prepare = (
    { mayBeKept, snapshotVersion }: BodyResponse,
    body: EncodedBody,
    encoding: ContentEncoding,
  ) => {
    const head = mayBeKept ? heads.revalidated : heads.notStored;
    const headers = ["x-snapshot-version", snapshotVersion, ...(mayBeKept ? ["etag", body.etag] : [])];
    const tail = [...headers, ...contentLines(body, encoding)];
    const made = {
      ok: { status: 200, head, tail, body: sendable(body.bytes) },
      notModified: { status: 304, head, tail: headers, body: undefined },
    };
    bodies.set(body, made);
    return made;
  };

  const api = {
    /** The envelope of a problem; `retryAfterSeconds` where the table does not say it. */
    ofProblem: (problem: Problem, retryAfterSeconds?: number): ReadyResponse => {
      const ready = problems.get(problem);
      if (ready === undefined) throw new Error(`no answer for the problem ${problem}`);
      if (retryAfterSeconds === undefined) return ready;
      return { ...ready, tail: ["retry-after", String(retryAfterSeconds), ...ready.tail] };
    },
    /** The envelope of a problem with a published reason. */
    ofReason: (problem: Problem, reason: string): ReadyResponse => {
      const outcome = PROBLEMS[problem];
      return envelopeOf({ ...outcome, message: `${outcome.message} ${reason}` });
    },
    /** A document of a version, or 304 for a caller that has it. */
    ofBody: (answer: BodyResponse, { headers }: IncomingMessage): ReadyResponse => {
      const encoding = negotiateEncoding(headers["accept-encoding"]);
      const body = answer.encode(encoding);
      const { ok, notModified } = bodies.get(body) ?? prepare(answer, body, encoding);
      const isKnown = answer.mayBeKept && matchesEtag(headers["if-none-match"], body.etag);
      return isKnown ? notModified : ok;
    },
    /** A body that is the same for everybody, or 304 for a caller that has it; `replaced` are standard headers with other values. */
    ofStatic: (
      { type, encode }: StaticBody,
      { headers }: IncomingMessage,
      replaced: Readonly<Record<string, string>>,
    ): ReadyResponse => {
      const encoding = negotiateEncoding(headers["accept-encoding"]);
      const body = encode(encoding);
      const changed = { "content-type": type, ...replaced };
      const head = heads.notStored.map((header, index) =>
        index % 2 === 1 ? (changed[heads.notStored[index - 1] as keyof typeof changed] ?? header) : header,
      );
      const added = Object.entries(replaced).flatMap(([name, value]) =>
        head.includes(name) ? [] : [name, value],
      );
      const tail = [...added, "etag", body.etag];
      if (matchesEtag(headers["if-none-match"], body.etag))
        return { status: 304, head, tail, body: undefined };
      return { status: 200, head, tail: [...tail, ...contentLines(body, encoding)], body: body.bytes };
    },
    /** A small body of JSON that no cache may store. */
    ofJson: (status: number, value: unknown): ReadyResponse => {
      const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
      return { status, head: heads.notStored, tail: lengthLine(bytes), body: sendable(bytes) };
    },
    /** No body at all. */
    ofNothing: (status: number, tail: HeaderLines): ReadyResponse => ({
      status,
      head: heads.notStored,
      tail,
      body: undefined,
    }),
    /** The lines and the body of a problem that ends its connection, for a socket on which no request could be read. */
    raw: (problem: Problem, id: string) => {
      const { status, head, tail, body } = api.ofProblem(problem);
      const lines = [...head, ...CLOSE, ...tail];
      lines[ID_AT] = id;
      return { status, lines, body: String(body) };
    },
    /** Writes a response, for HEAD without its body. */
    write: (
      { id, request, response }: AnsweredRequest,
      { status, head, tail, body }: ReadyResponse,
      { quota, isLast }: { readonly quota?: QuotaStatus | undefined; readonly isLast: boolean },
    ): void => {
      const lines = head.slice();
      lines[ID_AT] = id;
      if (hasCors) addCorsLines(lines, request.headers.origin, corsOrigins);
      if (isLast) lines.push(...CLOSE);
      if (quota !== undefined) addQuotaLines(lines, quota);
      for (const line of tail) lines.push(line);
      response.writeHead(status, lines);
      if (body === undefined || request.method === "HEAD") response.end();
      else if (typeof body === "string") response.end(body, "latin1");
      else response.end(body);
    },
  };
  return api;
}

export type Responses = ReturnType<typeof createResponses>;

function contentLines({ bytes }: EncodedBody, encoding: ContentEncoding): HeaderLines {
  return [...(encoding === "identity" ? [] : ["content-encoding", encoding]), ...lengthLine(bytes)];
}

function lengthLine(bytes: Buffer): HeaderLines {
  return ["content-length", String(bytes.length)];
}

/** Responses by tier and target, for one version as one state of the deny list shows it. */
export interface ResponseCache {
  /** The response that is cached, or the one that `make` gives. */
  readonly answer: (
    shown: SnapshotReader,
    tier: AccessTier,
    target: string,
    make: () => EndpointResponse,
  ) => EndpointResponse;
}

/** Beyond its body a response costs its target's text, the map and the objects. */
const ENTRY_OVERHEAD_BYTES = 512;

/** A path under `/v1` and a query without escapes, so that each response has few spellings here, not thousands. */
const PLAIN_TARGET = /^\/v1\/[\w./:~-]{1,255}(\?[\w.&=~-]{0,255})?$/;

/**
 * Caches answers with the reader that gave them, so that none of another version or another deny list is ever found.
 * What no cache may store (an entity) is not cached here either: all entities, known or not, take the same steps.
 */
export function createResponseCache(bytesMax: number): ResponseCache {
  const newCache = () =>
    new LRUCache<string, BodyResponse>({
      maxSize: Math.floor(bytesMax / ACCESS_TIERS.length),
      sizeCalculation: ({ bytes }, target) => ENTRY_OVERHEAD_BYTES + 2 * target.length + bytes,
    });
  const caches = byTier(newCache);
  let reader: SnapshotReader | undefined;
  return {
    answer: (shown, tier, target, make) => {
      if (shown !== reader) {
        for (const tier of ACCESS_TIERS) caches[tier].clear();
        reader = shown;
      }
      const known = caches[tier].get(target);
      if (known !== undefined) return known;
      const made = make();
      if (made.kind === "body" && made.mayBeKept && PLAIN_TARGET.test(target)) caches[tier].set(target, made);
      return made;
    },
  };
}
