import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import S3rver from "s3rver";
import { type S3Front, startS3Front } from "./s3-front.ts";

/** An S3 server on loopback with one bucket, and the relay in front of it. */
export interface S3TestServer extends S3Front {
  readonly bucket: string;
  /** The environment variables for programs: endpoint, region, credentials. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The only credentials that the server knows. */
const CREDENTIAL = "S3RVER";

/**
 * Works around the server: it answers before its write has reached the file, and replaces files in place, so a following
 * read could be truncated. S3 does neither.
 */
function writeWhole(server: S3rver): void {
  const { store } = server;
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.concat((await content.toArray()) as Buffer[]);
    const path = store.getResourcePath(bucket, key, "object");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.part`, bytes);
    await rename(`${path}.part`, path);
    const md5 = createHash("md5").update(bytes).digest("hex");
    await store.putMetadata(bucket, key, metadata, md5);
    return { size: bytes.length, md5 };
  };
}

/**
 * Starts s3rver in this process with its own folder, and the relay, which callers must use. The server ignores the
 * conditions of writes and accepts any signature of a known key; see `enforceConditions` of the relay.
 */
export async function startS3Server(bucket = "published"): Promise<S3TestServer> {
  const directory = await mkdtemp(join(tmpdir(), "govdata-s3-"));
  const configureBuckets = [{ name: bucket }];
  const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets });
  writeWhole(server);
  const { port } = await server.run();
  const front = await startS3Front(port);
  const environment = {
    AWS_ENDPOINT_URL_S3: front.endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: CREDENTIAL,
    AWS_SECRET_ACCESS_KEY: CREDENTIAL,
    // Tests must not use this machine's settings for other storages.
    AWS_CONFIG_FILE: "/nonexistent",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return {
    ...front,
    bucket,
    environment,
    close: async () => {
      await front.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
