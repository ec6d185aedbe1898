import { type RemoteFailure, remoteFailure } from "./remote-store.ts";

export type RemoteAddress =
  | { readonly kind: "s3"; readonly name: string; readonly bucket: string; readonly prefix: string }
  | { readonly kind: "mirror"; readonly name: string; readonly url: URL };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$/;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

function unusable(reason: string): RemoteFailure {
  // The address itself is not printed, because people do put passwords into addresses.
  return remoteFailure(
    "REMOTE_ADDRESS",
    `the address ${reason}; it must be s3://bucket/prefix, or the https://… address of a mirror`,
  );
}

function parseStorage(rest: string): RemoteAddress {
  const [bucket = "", ...parts] = rest.replace(/\/$/, "").split("/");
  const prefix = parts.join("/");
  if (!BUCKET.test(bucket)) throw unusable("names no bucket");
  if (!PREFIX.test(prefix)) {
    throw unusable("has a prefix with characters other than letters, digits, dot, dash and underscore");
  }
  return { kind: "s3", name: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`, bucket, prefix };
}

function parseMirror(text: string): RemoteAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw unusable("cannot be read");
  if (url.username !== "" || url.password !== "") throw unusable("contains a name or a password");
  if (url.search !== "" || url.hash !== "") throw unusable("contains a query or a fragment");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    throw unusable("is neither https nor on this machine");
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return { kind: "mirror", name: url.href.replace(/\/$/, ""), url };
}

export function parseRemoteAddress(text: string): RemoteAddress {
  if (text.startsWith("s3://")) return parseStorage(text.slice("s3://".length));
  if (/^https?:\/\//.test(text)) return parseMirror(text);
  throw unusable("begins with neither s3:// nor https://");
}

/** Whether a text begins like the address of remote storage, and so is no folder. */
export function isRemoteAddress(text: string): boolean {
  return /^(?:s3|https?):\/\//.test(text);
}

export const CONNECT_MS = 2_000;

/** Settings for requests to remote storage; every field has a default for production. */
export interface RemoteOptions {
  /** Settings of the SDK (AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID …); by default the process environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Attempts per request for content; the swap of a pointer is always tried only once. */
  readonly attemptsMax?: number;
  /** A request fails after this time without a byte. */
  readonly silenceMs?: number;
  /** The clock for giving up on slow bodies; by default they are never given up while bytes arrive. */
  readonly nowMs?: () => number;
}

export type RemoteSettings = Required<RemoteOptions>;

export function remoteSettings(options: RemoteOptions): RemoteSettings {
  return {
    environment: process.env,
    attemptsMax: 3,
    silenceMs: 10_000,
    nowMs: () => 0,
    ...options,
  };
}
