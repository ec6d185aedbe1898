import type { S3Client } from "@aws-sdk/client-s3";
import { createBucketClients } from "./bucket-clients.ts";
import { bucketFailure } from "./bucket-failure.ts";
import type { RemoteAddress } from "./parse-address.ts";
import type { RemoteSettings } from "./remote-options.ts";

/** What a call of the client takes beside its command. */
interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

/** A prefix of a bucket, and who asks there. */
export interface BucketPlace {
  readonly name: string;
  readonly bucket: string;
  /** What stands before every path: nothing, or the prefix and a slash. */
  readonly under: string;
  /** Tries again what may be. */
  readonly patient: S3Client;
  /** Asks once. */
  readonly once: S3Client;
  readonly attemptsMax: number;
  readonly nowMs: () => number;
  /** Where a path lies. */
  readonly at: (path: string) => { readonly Bucket: string; readonly Key: string };
  /** Calls the client; what it throws becomes `RemoteError`. */
  readonly calling: <Result>(
    path: string,
    call: (options: CallOptions) => Promise<Result>,
    signal?: AbortSignal,
  ) => Promise<Result>;
}

/** A place by its address; nothing is called yet. */
export function bucketPlaceOf(
  { name, bucket, prefix }: Extract<RemoteAddress, { readonly kind: "s3" }>,
  settings: RemoteSettings,
): BucketPlace {
  const under = prefix === "" ? "" : `${prefix}/`;
  return {
    ...createBucketClients(settings),
    name,
    bucket,
    under,
    attemptsMax: settings.attemptsMax,
    nowMs: settings.nowMs,
    at: (path) => ({ Bucket: bucket, Key: `${under}${path}` }),
    async calling(path, call, signal) {
      try {
        return await call(signal === undefined ? {} : { abortSignal: signal });
      } catch (error) {
        throw bucketFailure(error, { name, path, signal });
      }
    },
  };
}
