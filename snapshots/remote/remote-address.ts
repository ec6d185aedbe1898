import { RemoteError } from "./remote-store.ts";

/** Where versions lie, taken apart; `name` holds no secret. */
export type RemoteAddress =
  | { readonly kind: "s3"; readonly name: string; readonly bucket: string; readonly prefix: string }
  | { readonly kind: "mirror"; readonly name: string; readonly url: URL };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$/;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

function unusable(reason: string): RemoteError {
  // The address itself is not repeated: people do put passwords into addresses.
  return new RemoteError(
    "REMOTE_ADDRESS",
    `the address ${reason}; it must be s3://bucket/prefix, or https://… of a mirror`,
  );
}

function parseStorage(rest: string): RemoteAddress {
  const [bucket = "", ...parts] = rest.replace(/\/$/, "").split("/");
  const prefix = parts.join("/");
  if (!BUCKET.test(bucket)) throw unusable("names no bucket");
  if (!PREFIX.test(prefix)) {
    throw unusable("has a prefix with other characters than letters, digits, dot, dash, underscore");
  }
  return { kind: "s3", name: `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}`, bucket, prefix };
}

function parseMirror(text: string): RemoteAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw unusable("cannot be read");
  if (url.username !== "" || url.password !== "") throw unusable("holds a name or a password");
  if (url.search !== "" || url.hash !== "") throw unusable("holds a query or a fragment");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    throw unusable("is neither https nor on this machine");
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return { kind: "mirror", name: url.href.replace(/\/$/, ""), url };
}

/** Takes the address of a remote place apart; throws `RemoteError` REMOTE_ADDRESS. */
export function parseRemoteAddress(text: string): RemoteAddress {
  if (text.startsWith("s3://")) return parseStorage(text.slice("s3://".length));
  if (/^https?:\/\//.test(text)) return parseMirror(text);
  throw unusable("begins with neither s3:// nor https://");
}

/** Whether a text is the address of a remote place, and not a folder: it begins like one. */
export function isRemoteAddress(text: string): boolean {
  return /^(?:s3|https?):\/\//.test(text);
}

/** How a remote place is called; every field has a default that suits production. */
export interface RemoteOptions {
  /** Settings of the SDK (AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID …); those of the process where absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How often a call for content is tried; the swap of a pointer is tried once, always. */
  readonly attemptsMax?: number;
  readonly connectMs?: number;
  /** No byte for so long: the call has failed. */
  readonly silenceMs?: number;
  /** By which a body that comes drop by drop is given up; without a clock none is, as long as it comes. */
  readonly nowMs?: () => number;
}

/** The options with nothing left open. */
export type RemoteSettings = Required<RemoteOptions>;

/** The options given, and the default of each other one. */
export function remoteSettings(options: RemoteOptions): RemoteSettings {
  return {
    environment: process.env,
    attemptsMax: 3,
    connectMs: 2_000,
    silenceMs: 10_000,
    nowMs: () => 0,
    ...options,
  };
}
