import { type IncomingMessage, METHODS } from "node:http";
import type { Problem } from "./problems.ts";

export const HEADERS_MAX = 100;

const HTTP_METHODS: ReadonlySet<string | undefined> = new Set(METHODS);

type RequestHead = Pick<IncomingMessage, "method" | "url" | "httpVersion" | "rawHeaders" | "headers">;

/** What is wrong with a request that Node's parser let through; undefined for one that may go on. */
export function transportFault(request: RequestHead): Problem | undefined {
  const { method, url = "", httpVersion, rawHeaders } = request;
  // Counted here, because the parser's own limit drops the lines above it in silence: the key might be one of them.
  if (rawHeaders.length > 2 * HEADERS_MAX) return "headers-too-large";
  // The parser also takes request lines of RTSP, of HTTP/0.9 and of HTTP/2.0.
  if (!HTTP_METHODS.has(method)) return "request-malformed";
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "request-malformed";
  // RFC 9112 §3.2: a request of HTTP/1.1 names one host. Two servers on the way might each believe another line.
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return "request-malformed";
  if (url.includes("%") && !isDecodable(splitTarget(url).path)) return "request-malformed";
  if (hasOddFraming(request)) return "request-malformed";
  if ((method === "GET" || method === "HEAD") && hasBody(request)) return "request-malformed";
  return undefined;
}

/** Whether a body follows the head, or is announced. Nobody reads it, so it must not be taken for the next request. */
export function hasBody({ headers }: Pick<RequestHead, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** RFC 9112 §6.1: codings other than `chunked`, and any in HTTP/1.0, leave open where the request ends. */
function hasOddFraming({ httpVersion, headers }: RequestHead): boolean {
  const coding = headers["transfer-encoding"];
  return coding !== undefined && (httpVersion === "1.0" || coding.toLowerCase() !== "chunked");
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

const KEY_HEADER = "x-api-key";

/**
 * The key in Node's raw header list (name, value, name, value …), where repeated lines still show; undefined where there
 * is none. Two lines are not joined, as a proxy in front may have added one: they take the same steps as one wrong key,
 * since an empty text is never well-formed.
 */
export function presentedKey(rawHeaders: readonly string[]): string | undefined {
  let text: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== KEY_HEADER.length || name.toLowerCase() !== KEY_HEADER) continue;
    if (text !== undefined) return "";
    text = rawHeaders[index + 1] ?? "";
  }
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** `http://host` of an absolute-form target, which the router takes off as well. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path of a request target as it was sent, undecoded, and its query. The router splits at the same two characters. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const local = target.replace(ORIGIN, "");
  const end = local.search(/[?#]/);
  if (end === -1) return { path: local, query: "" };
  return { path: local.slice(0, end), query: local.slice(end + 1) };
}

/** For the router, which need not parse queries: the endpoints do, strictly. */
export const noQuery = () => ({});

/** What a body may be sent as. The order is ours where the caller has no preference. */
export const CONTENT_ENCODINGS = ["br", "gzip", "identity"] as const;
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];

/** RFC 9110 §12.4.2: 0 to 1 with at most three decimals. */
const WEIGHT = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * The encoding to answer with. Without the header, the caller may be unable to decompress: identity. Where all three
 * are excluded we send identity all the same (RFC 9110 §12.5.3 allows it, and 406 would be no better answer).
 */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentEncoding {
  if (acceptEncoding === undefined) return "identity";
  const weights = parseWeights(acceptEncoding);
  let best: ContentEncoding = "identity";
  let bestWeight = 0;
  for (const encoding of CONTENT_ENCODINGS) {
    const weight = weightOf(encoding, weights);
    if (weight > bestWeight) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** An encoding that is not listed has weight 0, except identity, which stays acceptable but is not preferred. */
function weightOf(encoding: ContentEncoding, weights: ReadonlyMap<string, number>): number {
  const named = weights.get(encoding) ?? (encoding === "gzip" ? weights.get("x-gzip") : undefined);
  return named ?? weights.get("*") ?? 0;
}

/** A coding whose weight cannot be parsed counts as refused, as the caller might be unable to decode it. */
function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.length === 0 ? 1 : Number(WEIGHT.exec(parameters.join(";"))?.[1] ?? 0);
    weights.set(coding.toLowerCase(), weight);
  }
  return weights;
}

/** One entity tag of a list; RFC 9110 §8.8.3 lets a tag hold commas, so a list cannot be split at them. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` names this strong ETag: by `*`, or by any tag of the list, compared weakly. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  for (const [, opaqueTag] of ifNoneMatch.matchAll(ENTITY_TAG)) {
    if (opaqueTag === etag) return true;
  }
  return false;
}
