import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { capAnswers } from "./cap-answers.ts";
import type { RemoteSettings } from "./remote-options.ts";

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
export function createBucketClients({
  environment,
  attemptsMax,
  connectMs,
  silenceMs,
  nowMs,
}: RemoteSettings): {
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
