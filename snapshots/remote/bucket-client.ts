import { Readable } from "node:stream";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { cappedStream } from "./capped-stream.ts";
import type { RemoteSettings } from "./remote-address.ts";
import { fileRefused, RemoteError } from "./remote-store.ts";

/** Connections at a time; what is asked for at a time is fewer. */
const SOCKETS_MAX = 32;

/** Where there is no other word, and an endpoint that does not ask. */
const REGION_DEFAULT = "us-east-1";

/** What is no file: texts of errors, and lists of a thousand names of a thousand characters. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

/** The clients for one storage: one that tries again, and one that asks once, for what must not happen twice. */
export function createBucketClients(settings: RemoteSettings) {
  const { environment, attemptsMax, connectMs, silenceMs, nowMs } = settings;
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const config: S3ClientConfig = {
    ...locationOf(environment),
    ...credentialsOf(environment),
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silenceMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Every upload brings its SHA-256, and every download is compared with the manifest's.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  };
  const retrying = new S3Client({ ...config, maxAttempts: attemptsMax });
  const once = new S3Client({ ...config, maxAttempts: 1 });
  for (const client of [retrying, once]) capAnswers(client, nowMs);
  return { retrying, once };
}

function credentialsOf(environment: RemoteSettings["environment"]): Pick<S3ClientConfig, "credentials"> {
  const accessKeyId = environment["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = environment["AWS_SECRET_ACCESS_KEY"];
  // Without them the SDK goes through its own chain: profiles, web identities, the machine's role.
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
 * Bounds every answer that the client takes into memory whole before anybody can look at it, however it ends: one without
 * an end would take the process along. The bytes of a file are bounded where they are read.
 */
function capAnswers(client: S3Client, nowMs: () => number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const result = await next(request);
        const { response } = result;
        if (!isAnswer(response) || !(response.body instanceof Readable)) return result;
        const isFile = commandName === "GetObjectCommand" && response.statusCode === 200;
        if (!isFile) response.body = Readable.from(orTooLarge(response.body, nowMs), { objectMode: false });
        return result;
      },
    { name: "capAnswers", step: "deserialize", priority: "low" },
  );
}

interface Answer {
  readonly statusCode: unknown;
  body: unknown;
}

function isAnswer(response: unknown): response is Answer {
  return typeof response === "object" && response !== null && "statusCode" in response && "body" in response;
}

/** No `RemoteError`: the client would write a sentence of its own into that. */
async function* orTooLarge(body: AsyncIterable<Uint8Array>, nowMs: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* cappedStream(body, ANSWER_BYTES_MAX, "the answer", nowMs);
  } catch (cause) {
    throw Object.assign(new Error("the answer is too large or too slow", { cause }), {
      code: "ANSWER_WITHOUT_END",
    });
  }
}

/** What an error of the S3 client is to us. A fault of this program stays what it is; an end that was asked for, too. */
export function bucketFailure(
  error: unknown,
  call: { readonly name: string; readonly path: string; readonly signal?: AbortSignal | undefined },
): unknown {
  if (error instanceof RemoteError) return error;
  if (call.signal?.aborted === true) return call.signal.reason;
  const status = statusOf(error);
  const word = wordOf(error);
  // A success that could not be read to its end is no answer.
  if (status !== undefined && status >= 300) return ofStatus(status, word, call);
  if (word === "CredentialsProviderError" || word === "TokenProviderError") {
    return new RemoteError("REMOTE_REFUSED", `${call.name}: no credentials were found (AWS_ACCESS_KEY_ID …)`);
  }
  if (error instanceof Error && error.message === "Region is missing") {
    return new RemoteError("REMOTE_ADDRESS", `${call.name}: no region was found (AWS_REGION)`);
  }
  // A mistake of this program, unless the client made it of what the storage answered.
  const isFault = error instanceof TypeError || error instanceof RangeError;
  if (isFault && !("$response" in error)) return error;
  return fileRefused("REMOTE_AWAY", call, call.path, `could not be had (${word})`);
}

/** The status of the answer behind an error of the client, where there was one. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const { $metadata: about } = error;
  if (typeof about !== "object" || about === null || !("httpStatusCode" in about)) return undefined;
  return typeof about.httpStatusCode === "number" ? about.httpStatusCode : undefined;
}

/** Whether a file is not there; a bucket that is not there is another matter. */
export function isNotThere(error: unknown): boolean {
  return statusOf(error) === 404 && error instanceof Error && error.name !== "NoSuchBucket";
}

/** A word for what happened that is fit for a log: the client's own sentences may hold what was signed. */
function wordOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const word = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(word) ? word : "unknown";
}

function ofStatus(
  status: number,
  word: string,
  { name, path }: Parameters<typeof bucketFailure>[1],
): RemoteError {
  const about = `${name}: ${path}`;
  if (status === 404 && word === "NoSuchBucket") {
    return new RemoteError("REMOTE_MISSING", `${name}: there is no such bucket`, { path });
  }
  if (status === 404) return new RemoteError("REMOTE_MISSING", `${about} is not there`, { path });
  if (status === 301 || status === 307 || word === "AuthorizationHeaderMalformed") {
    return new RemoteError("REMOTE_REFUSED", `${name}: the bucket is in another region (AWS_REGION)`, {
      path,
    });
  }
  if (status >= 500 || status === 408 || status === 429) {
    return new RemoteError("REMOTE_AWAY", `${about}: answered ${status} (${word})`, { path });
  }
  if (word === "BadDigest" || word === "XAmzContentSHA256Mismatch") {
    return new RemoteError(
      "REMOTE_AWAY",
      `${about}: the bytes that arrived are not those that were sent (${word})`,
      { path },
    );
  }
  return new RemoteError("REMOTE_REFUSED", `${about}: refused with ${status} (${word})`, { path });
}
