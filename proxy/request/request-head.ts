import { type IncomingMessage, METHODS } from "node:http";
import type { Problem } from "./problems.ts";

/** Header lines of one request. */
const HEADERS_MAX = 100;

const HTTP_METHODS: ReadonlySet<string | undefined> = new Set(METHODS);

/** What of a request's head is looked at before anything else. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "httpVersion" | "rawHeaders" | "headers">;

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

/** Whether a body follows the head, or is said to. Nobody reads it, so it must not be taken for the next request. */
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

/** Whether a target that no route matched lies under `/v1`, where the key comes first. */
export function isUnderApi(target: string): boolean {
  const { path } = splitTarget(target);
  return path === "/v1" || path.startsWith("/v1/");
}
