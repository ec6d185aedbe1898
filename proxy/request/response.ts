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
import type { QuotaStatus } from "./admit.ts";
import {
  addCorsLines,
  type CorsOrigins,
  type HeaderLines,
  type HeaderValues,
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
  /** Gives the body in the encoding that the caller prefers; always the same object for the same bytes. */
  readonly encode: (encoding: ContentEncoding) => EncodedBody;
  /** What it keeps in memory, in all encodings that it holds. */
  readonly bytes: number;
  /** False for entities: no cache may store them, and they have no ETag. */
  readonly mayBeKept: boolean;
  readonly snapshotVersion: string;
}

/** What an endpoint decided: a body to send, or the problem it met; `reason` is a published sentence that follows its message. */
export type EndpointResponse =
  | BodyResponse
  | Problem
  | { readonly problem: Problem; readonly reason: string };

/** A ready document of the snapshot as a response, or `absent` where there is none. No cache may store entities. */
export function documentResponse(
  snapshot: SnapshotReader,
  kind: DocumentKind,
  id: string,
  absent: Problem,
): BodyResponse | Problem {
  const document = snapshot.document(kind, id);
  if (document === undefined) return absent;
  const { identity, gzip, brotli } = document;
  return {
    encode: (encoding) => (encoding === "br" ? brotli : document[encoding]),
    bytes: identity.bytes.length + gzip.bytes.length + brotli.bytes.length,
    mayBeKept: kind !== "entity",
    snapshotVersion: snapshot.version,
  };
}

/** A body in each encoding, compressed when somebody first wants it so. */
export function encodings(bytes: Buffer): BodyResponse["encode"] {
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
export interface StaticBody extends HeaderValues {
  readonly encode: BodyResponse["encode"];
  /** Lines beside the standard ones. */
  readonly more?: HeaderLines;
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
const ID_AT = standardLines(false).length - 1;

/** Prepares answers once and writes them: every response of the API leaves this process by `write`. */
export function createResponses(corsOrigins: CorsOrigins) {
  const hasCors = corsOrigins.size > 0;
  const notStored = standardLines(hasCors);
  const revalidated = standardLines(hasCors, { cacheControl: REVALIDATE });
  const envelopeOf = ({ status, code, message, retryAfterSeconds }: (typeof PROBLEMS)[Problem]) => {
    const bytes = encodeCanonical(ErrorEnvelope, { error: { code, message } });
    const tail = [...statusLines(status, retryAfterSeconds), ...lengthLine(bytes)];
    return { status, head: notStored, tail, body: sendable(bytes) };
  };
  const problems = new Map(Object.entries(PROBLEMS).map(([name, outcome]) => [name, envelopeOf(outcome)]));
  const bodies = new WeakMap<EncodedBody, Readonly<Record<"ok" | "notModified", ReadyResponse>>>();

  const prepare = (
    { mayBeKept, snapshotVersion }: BodyResponse,
    body: EncodedBody,
    encoding: ContentEncoding,
  ) => {
    const head = mayBeKept ? revalidated : notStored;
    const tail = ["x-snapshot-version", snapshotVersion, ...(mayBeKept ? ["etag", body.etag] : [])];
    const contents = [...tail, ...contentLines(body, encoding)];
    const made = {
      ok: { status: 200, head, tail: contents, body: sendable(body.bytes) },
      notModified: { status: 304, head, tail, body: undefined },
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
    /** A body that is the same for everybody, or 304 for a caller that has it. */
    ofStatic: ({ encode, more = [], ...values }: StaticBody, { headers }: IncomingMessage): ReadyResponse => {
      const encoding = negotiateEncoding(headers["accept-encoding"]);
      const body = encode(encoding);
      const head = standardLines(hasCors, values);
      const tail = [...more, "etag", body.etag];
      const isKnown = matchesEtag(headers["if-none-match"], body.etag);
      if (isKnown) return { status: 304, head, tail, body: undefined };
      return { status: 200, head, tail: [...tail, ...contentLines(body, encoding)], body: body.bytes };
    },
    ofJson: (status: number, value: unknown): ReadyResponse => {
      const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
      return { status, head: notStored, tail: lengthLine(bytes), body: sendable(bytes) };
    },
    ofNothing: (status: number, tail: HeaderLines): ReadyResponse => {
      return { status, head: notStored, tail, body: undefined };
    },
    /** The lines and the body of a problem that ends its connection, for a socket on which no request could be read. */
    raw: (problem: Problem, id: string) => {
      const { status, head, tail, body } = api.ofProblem(problem);
      return { status, lines: head.with(ID_AT, id).concat(CLOSE, tail), body: String(body) };
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

/** Adds the quota headers: the IETF draft's two, and the three that older clients read. */
function addQuotaLines(lines: HeaderLines, quota: QuotaStatus): void {
  lines.push(
    "ratelimit-policy",
    `"daily";q=${quota.limit};w=86400`,
    "ratelimit",
    `"daily";r=${quota.remaining};t=${quota.secondsToReset}`,
    "x-ratelimit-limit",
    String(quota.limit),
    "x-ratelimit-remaining",
    String(quota.remaining),
    "x-ratelimit-reset",
    String(quota.resetAtMs / 1000),
  );
}

function contentLines({ bytes }: EncodedBody, encoding: ContentEncoding): HeaderLines {
  return [...(encoding === "identity" ? [] : ["content-encoding", encoding]), ...lengthLine(bytes)];
}

function lengthLine(bytes: Buffer): HeaderLines {
  return ["content-length", String(bytes.length)];
}

/** The most bytes of responses kept in memory. */
const CACHED_BYTES_MAX = 64 * 1024 * 1024;

/** Beyond its body a response costs its target's text, the map and the objects. */
const ENTRY_OVERHEAD_BYTES = 512;

/** A path under `/v1` and a query without escapes, so that each response has few spellings here, not thousands. */
const PLAIN_TARGET = /^\/v1\/[\w./:~-]{1,255}(\?[\w.&=~-]{0,255})?$/;

/**
 * Returns a function that gives the cached response of a tier and target, or the one that `make` gives. Responses are
 * cached with the reader that gave them, so that none of another version or another deny list is ever found.
 * What no cache may store (an entity) is not cached here either: all entities, known or not, take the same steps.
 */
export function createResponseCache(bytesMax = CACHED_BYTES_MAX) {
  const newCache = () =>
    new LRUCache<string, BodyResponse>({
      maxSize: Math.floor(bytesMax / ACCESS_TIERS.length),
      sizeCalculation: ({ bytes }, target) => ENTRY_OVERHEAD_BYTES + 2 * target.length + bytes,
    });
  const caches = byTier(newCache);
  let reader: SnapshotReader | undefined;
  return (
    shown: SnapshotReader,
    tier: AccessTier,
    target: string,
    make: () => EndpointResponse,
  ): EndpointResponse => {
    if (shown !== reader) {
      for (const tier of ACCESS_TIERS) caches[tier].clear();
      reader = shown;
    }
    const known = caches[tier].get(target);
    if (known !== undefined) return known;
    const made = make();
    const mayBeKept = typeof made === "object" && "encode" in made && made.mayBeKept;
    if (mayBeKept && PLAIN_TARGET.test(target)) caches[tier].set(target, made);
    return made;
  };
}
