import { Agent, type Dispatcher, errors, request } from "undici";
import { assertWithin, cappedStream, collectCapped } from "./capped-stream.ts";
import type { RemoteAddress, RemoteSettings } from "./remote-address.ts";
import { fileRefused, RemoteError, type RemoteReader } from "./remote-store.ts";

/** Connections at a time. */
const CONNECTIONS_MAX = 16;

/** Any web server with the files of a snapshot root below an address; read only. */
export function openMirror(
  { name, url }: Extract<RemoteAddress, { readonly kind: "mirror" }>,
  { connectMs, silenceMs, nowMs }: RemoteSettings,
): RemoteReader {
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    connect: { timeout: connectMs },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  const ask = (path: string, condition: { readonly "if-none-match"?: string }, signal?: AbortSignal) =>
    request(new URL(path, url), {
      dispatcher: agent,
      // What is hashed are the very bytes: nobody is to pack them on the way.
      headers: { ...condition, "accept-encoding": "identity" },
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    name,
    async *read(path, bytesMax, signal) {
      try {
        const answer = await ask(path, {}, signal);
        if (answer.statusCode !== 200) {
          abandon(answer.body);
          throw refused(name, path, answer.statusCode);
        }
        within(answer, bytesMax, path);
        yield* cappedStream(answer.body, bytesMax, path, nowMs);
      } catch (error) {
        throw failure(name, path, error, signal);
      }
    },
    async readSmall(path, bytesMax, knownEtag, signal) {
      try {
        const answer = await ask(path, knownEtag === undefined ? {} : { "if-none-match": knownEtag }, signal);
        const { statusCode, headers, body } = answer;
        if (statusCode === 304 && knownEtag !== undefined) {
          // Such an answer has no body by its nature; the page of any other may have no end.
          await body.dump();
          return "unchanged";
        }
        if (statusCode !== 200) {
          abandon(body);
          if (statusCode === 404 || statusCode === 410) return undefined;
          throw refused(name, path, statusCode);
        }
        within(answer, bytesMax, path);
        const bytes = await collectCapped(body, bytesMax, path, nowMs);
        const { etag } = headers;
        return { bytes, etag: typeof etag === "string" ? etag : undefined };
      } catch (error) {
        throw failure(name, path, error, signal);
      }
    },
    close: () => {
      agent.destroy().catch(() => {
        // Connections that are gone already.
      });
    },
  };
}

function away(name: string, path: string, error: Error): RemoteError {
  const word = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return fileRefused("REMOTE_AWAY", { name }, path, `could not be had (${word})`);
}

function refused(name: string, path: string, status: number): RemoteError {
  if (status === 404 || status === 410) {
    return fileRefused("REMOTE_MISSING", { name }, path, "is not there");
  }
  const code = status >= 500 || status === 408 || status === 429 ? "REMOTE_AWAY" : "REMOTE_REFUSED";
  return new RemoteError(code, `${name}: ${path}: answered ${status}`, { path });
}

/** An end that was asked for stays what it is, and so does a fault of this program. */
function failure(name: string, path: string, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof RemoteError) return error;
  const isOfNetwork = error instanceof errors.UndiciError || (error instanceof Error && "code" in error);
  return isOfNetwork ? away(name, path, error) : error;
}

/** What is not wanted need not come; that it was broken off is no news. */
function abandon(body: Dispatcher.ResponseData["body"]): void {
  body.once("error", () => {});
  body.destroy();
}

function within({ headers, body }: Dispatcher.ResponseData, bytesMax: number, path: string): void {
  const { "content-length": length } = headers;
  try {
    assertWithin(typeof length === "string" ? Number(length) : undefined, bytesMax, path);
  } catch (error) {
    abandon(body);
    throw error;
  }
}
