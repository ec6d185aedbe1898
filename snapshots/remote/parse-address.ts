import { RemoteError } from "./remote-error.ts";

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
