import { fileRefused, RemoteError } from "./remote-store.ts";

/** What was asked for, where something went wrong. */
interface FailedCall {
  readonly name: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
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

function ofStatus(status: number, word: string, { name, path }: FailedCall): RemoteError {
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
    return new RemoteError("REMOTE_AWAY", `${about}: other bytes arrived than were sent (${word})`, { path });
  }
  return new RemoteError("REMOTE_REFUSED", `${about}: refused with ${status} (${word})`, { path });
}

/** A mistake of this program, unless the client made it of what the storage answered. */
function isFaultHere(error: unknown): boolean {
  const isFault = error instanceof TypeError || error instanceof RangeError;
  return isFault && !("$response" in error);
}

/** What an error of the S3 client is to us. A fault of this program stays what it is; an end that was asked for, too. */
export function bucketFailure(error: unknown, call: FailedCall): unknown {
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
  if (isFaultHere(error)) return error;
  return fileRefused("REMOTE_AWAY", call, call.path, `could not be had (${word})`);
}
