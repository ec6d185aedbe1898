import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { bucketFailure } from "./bucket-failure.ts";
import { capAnswers } from "./capped-stream.ts";
import type { RemoteAddress, RemoteSettings } from "./remote-address.ts";

/** Connections at a time; what is asked for at a time is fewer. */
const SOCKETS_MAX = 32;

/** Where there is no other word, and an endpoint that does not ask. */
const REGION_DEFAULT = "us-east-1";

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

function placeOf(
  environment: RemoteSettings["environment"],
): Pick<S3ClientConfig, "region" | "endpoint" | "forcePathStyle"> {
  const endpoint = environment["AWS_ENDPOINT_URL_S3"] || environment["AWS_ENDPOINT_URL"];
  const region = environment["AWS_REGION"] || environment["AWS_DEFAULT_REGION"];
  if (endpoint) return { endpoint, region: region || REGION_DEFAULT, forcePathStyle: true };
  return region ? { region } : {};
}

/** The clients for one storage: one that tries again, and one that asks once, for what must not happen twice. */
function createBucketClients({ environment, attemptsMax, connectMs, silenceMs, nowMs }: RemoteSettings): {
  readonly patient: S3Client;
  readonly once: S3Client;
} {
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const config: S3ClientConfig = {
    ...placeOf(environment),
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
  const patient = new S3Client({ ...config, maxAttempts: attemptsMax });
  const once = new S3Client({ ...config, maxAttempts: 1 });
  for (const client of [patient, once]) capAnswers(client, nowMs);
  return { patient, once };
}

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
