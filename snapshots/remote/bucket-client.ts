import { Readable } from "node:stream";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { cappedStream } from "./capped-stream.ts";
import { CONNECT_MS, type RemoteSettings } from "./remote-address.ts";
import { fileRefused, isRemoteFailure, type RemoteFailure, remoteFailure } from "./remote-store.ts";

/** Maximum connections; there are always fewer concurrent requests. */
const SOCKETS_MAX = 32;

/** Used if no region is configured and the endpoint needs none. */
const REGION_DEFAULT = "us-east-1";

/** Limit for responses that are no files: error texts, and lists of a thousand names of a thousand characters. */
const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;

/** The clients for one storage: one that retries, and one that does not, for calls that must not happen twice. */
export function createBucketClients(settings: RemoteSettings) {
  const { environment, attemptsMax, silenceMs, nowMs } = settings;
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const config: S3ClientConfig = {
    ...locationOf(environment),
    ...credentialsOf(environment),
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Every upload sends its SHA-256, and every download is compared with that in the manifest.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  };
  const retrying = new S3Client({ ...config, maxAttempts: attemptsMax });
  const once = new S3Client({ ...config, maxAttempts: 1 });
  for (const client of [retrying, once]) capResponses(client, nowMs);
  return { retrying, once };
}

function credentialsOf(environment: RemoteSettings["environment"]): Pick<S3ClientConfig, "credentials"> {
  const accessKeyId = environment["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = environment["AWS_SECRET_ACCESS_KEY"];
  // Without them the SDK tries its own providers: profiles, web identities, the machine's role.
  if (!accessKeyId || !secretAccessKey) return {};
  const sessionToken = environment["AWS_SESSION_TOKEN"];
  return {
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) },
  };
}

function locationOf(
  environment: RemoteSettings["environment"],
): Pick<S3ClientConfig, "region" | "endpoint" | "forcePathStyle"> {
  const endpoint = environment["AWS_ENDPOINT_URL_S3"] || environment["AWS_ENDPOINT_URL"];
  const region = environment["AWS_REGION"] || environment["AWS_DEFAULT_REGION"];
  if (endpoint) return { endpoint, region: region || REGION_DEFAULT, forcePathStyle: true };
  return region ? { region } : {};
}

/**
 * Limits every response that the client buffers in memory, of any status: an endless one would exhaust the memory of
 * the process. The bytes of files are limited where they are read.
 */
function capResponses(client: S3Client, nowMs: () => number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const result = await next(request);
        const { response } = result;
        if (!isResponse(response) || !(response.body instanceof Readable)) return result;
        const isFile = commandName === "GetObjectCommand" && response.statusCode === 200;
        if (!isFile) response.body = Readable.from(orTooLarge(response.body, nowMs), { objectMode: false });
        return result;
      },
    { name: "capResponses", step: "deserialize", priority: "low" },
  );
}

interface StorageResponse {
  readonly statusCode: unknown;
  body: unknown;
}

function isResponse(response: unknown): response is StorageResponse {
  return typeof response === "object" && response !== null && "statusCode" in response && "body" in response;
}

/** Throws no `RemoteFailure`, because the client would overwrite its message. */
async function* orTooLarge(body: AsyncIterable<Uint8Array>, nowMs: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* cappedStream(body, RESPONSE_BYTES_MAX, "the response", nowMs);
  } catch (cause) {
    throw Object.assign(new Error("the response is too large or too slow", { cause }), {
      code: "ANSWER_WITHOUT_END",
    });
  }
}

/** Maps an error of the S3 client to `RemoteFailure`. Bugs of this program and the reason of an abort stay as they are. */
export function bucketFailure(
  error: unknown,
  call: { readonly name: string; readonly path: string; readonly signal?: AbortSignal | undefined },
): unknown {
  if (isRemoteFailure(error)) return error;
  if (call.signal?.aborted === true) return call.signal.reason;
  const status = statusOf(error);
  const name = safeNameOf(error);
  // A successful response that broke off counts as a network error.
  if (status !== undefined && status >= 300) return ofStatus(status, name, call);
  if (name === "CredentialsProviderError" || name === "TokenProviderError") {
    return remoteFailure("REMOTE_REFUSED", `${call.name}: no credentials were found (AWS_ACCESS_KEY_ID …)`);
  }
  if (error instanceof Error && error.message === "Region is missing") {
    return remoteFailure("REMOTE_ADDRESS", `${call.name}: no region was found (AWS_REGION)`);
  }
  // A bug of this program, unless the client derived it from a response.
  const isFault = error instanceof TypeError || error instanceof RangeError;
  if (isFault && !("$response" in error)) return error;
  return fileRefused("REMOTE_AWAY", call, call.path, `could not be fetched (${name})`);
}

/** The HTTP status behind an error of the client; undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  if (typeof metadata !== "object" || metadata === null || !("httpStatusCode" in metadata)) return undefined;
  return typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}

/** Whether a file does not exist; false if the bucket does not exist. */
export function isNotThere(error: unknown): boolean {
  return statusOf(error) === 404 && error instanceof Error && error.name !== "NoSuchBucket";
}

/** The code or name of an error, safe to log: the client's messages may contain signed addresses. */
function safeNameOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const name = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name) ? name : "unknown";
}

function ofStatus(
  status: number,
  errorName: string,
  call: Parameters<typeof bucketFailure>[1],
): RemoteFailure {
  const { name, path } = call;
  if (status === 404 && errorName === "NoSuchBucket") {
    return remoteFailure("REMOTE_MISSING", `${name}: there is no such bucket`, { path });
  }
  if (status === 404) return fileRefused("REMOTE_MISSING", call, path, "is not there");
  if (status === 301 || status === 307 || errorName === "AuthorizationHeaderMalformed") {
    const message = `${name}: the bucket is in another region (AWS_REGION)`;
    return remoteFailure("REMOTE_REFUSED", message, { path });
  }
  const wasChanged = errorName === "BadDigest" || errorName === "XAmzContentSHA256Mismatch";
  const mayPass = wasChanged || status >= 500 || status === 408 || status === 429;
  const code = mayPass ? "REMOTE_AWAY" : "REMOTE_REFUSED";
  return fileRefused(code, call, path, `was answered with ${status} (${errorName})`);
}
