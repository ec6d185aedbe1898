import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import S3rver from "s3rver";
import { type S3Front, startS3Front } from "./s3-front.ts";

/** An S3 server on loopback with one bucket, and the relay before it. */
export interface S3TestServer extends S3Front {
  readonly bucket: string;
  /** The variables by which a program finds it: endpoint, region, credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets those variables in this process; what comes back restores what was there. */
  readonly enterEnvironment: () => () => void;
}

/** The one pair of credentials that the server knows. */
const CREDENTIAL = "S3RVER";

/**
 * The server answers before what it wrote has reached the file, and replaces a file in place: a reading that followed
 * could be short. S3 promises neither.
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

function enter(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/**
 * Starts s3rver in this process, in a folder of its own, and the relay that callers are to use. The server itself does
 * not refuse conditional writes, and believes any signature of a key that it knows; see `enforceConditions` of the relay.
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
    // What this machine knows of other storages is none of the tests' business.
    AWS_CONFIG_FILE: "/nonexistent",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return {
    ...front,
    bucket,
    environment,
    enterEnvironment: () => enter(environment),
    close: async () => {
      await front.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
