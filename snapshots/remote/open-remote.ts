import { Agent, errors, request } from "undici";
import { abandon, cappedReads } from "./capped-stream.ts";
import {
  CONNECT_MS,
  parseRemoteAddress,
  type RemoteAddress,
  type RemoteOptions,
  type RemoteSettings,
  remoteSettings,
} from "./remote-address.ts";
import {
  fileRefused,
  isRemoteFailure,
  type RemoteReader,
  type RemoteWriter,
  remoteFailure,
} from "./remote-store.ts";

/** Opens `s3://bucket/prefix` or `https://…` (a mirror), without any request; throws `REMOTE_ADDRESS`. */
export async function openRemote(address: string, options: RemoteOptions = {}): Promise<RemoteReader> {
  const parsed = parseRemoteAddress(address);
  const settings = remoteSettings(options);
  // Loaded on demand: it loads slowly, and most installations do not need it.
  if (parsed.kind === "s3") return (await import("./bucket-store.ts")).openBucketStore(parsed, settings);
  return openMirror(parsed, settings);
}

/** Opens `s3://bucket/prefix` for writing, without any request; throws `REMOTE_ADDRESS`. */
export async function openRemoteWriter(address: string, options: RemoteOptions = {}): Promise<RemoteWriter> {
  const parsed = parseRemoteAddress(address);
  if (parsed.kind === "s3") {
    return (await import("./bucket-store.ts")).openBucketStore(parsed, remoteSettings(options));
  }
  throw remoteFailure(
    "REMOTE_ADDRESS",
    `${parsed.name} is a read-only mirror; use s3://bucket/prefix to write`,
  );
}

const CONNECTIONS_MAX = 16;

/** Opens a mirror: any web server with the files of a snapshot root below an address. Read only. */
function openMirror(
  { name, url }: Extract<RemoteAddress, { readonly kind: "mirror" }>,
  { silenceMs, nowMs }: RemoteSettings,
): RemoteReader {
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    connect: { timeout: CONNECT_MS },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  const reads = cappedReads({
    name,
    nowMs,
    async open(path, knownEtag, signal) {
      const condition = knownEtag === undefined ? {} : { "if-none-match": knownEtag };
      const { statusCode, headers, body } = await request(new URL(path, url), {
        dispatcher: agent,
        // The hash is of the plain bytes, so they must not be compressed.
        headers: { ...condition, "accept-encoding": "identity" },
        ...(signal === undefined ? {} : { signal }),
      });
      if (statusCode === 304 && knownEtag !== undefined) {
        // A 304 has no body. The body of any other status may be endless.
        await body.dump();
        return "unchanged";
      }
      if (statusCode !== 200) {
        abandon(body);
        if (statusCode === 404 || statusCode === 410) return undefined;
        const mayPass = statusCode >= 500 || statusCode === 408 || statusCode === 429;
        const code = mayPass ? "REMOTE_AWAY" : "REMOTE_REFUSED";
        throw remoteFailure(code, `${name}: ${path}: answered ${statusCode}`, { path });
      }
      const { etag, "content-length": length } = headers;
      return {
        body,
        length: typeof length === "string" ? Number(length) : undefined,
        etag: typeof etag === "string" ? etag : undefined,
      };
    },
    /** Returns the reason of an abort and bugs of this program unchanged. */
    failure(error, path, signal) {
      if (signal?.aborted === true) return signal.reason;
      if (isRemoteFailure(error)) return error;
      const isOfNetwork = error instanceof errors.UndiciError || (error instanceof Error && "code" in error);
      if (!isOfNetwork) return error;
      const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
      return fileRefused("REMOTE_AWAY", { name }, path, `could not be fetched (${code})`);
    },
  });
  return {
    name,
    ...reads,
    close: () => {
      agent.destroy().catch(() => {
        // The connections are already closed.
      });
    },
  };
}
