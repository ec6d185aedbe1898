import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { inBatches } from "../base/concurrency.ts";
import { bucketFailure, createBucketClients, isNotThere, statusOf } from "./bucket-client.ts";
import { cappedReads } from "./capped-stream.ts";
import type { RemoteAddress, RemoteSettings } from "./remote-address.ts";
import {
  fileRefused,
  isRemoteFailure,
  type RemoteUpload,
  type RemoteWriter,
  remoteFailure,
} from "./remote-store.ts";

/** Pages of a thousand names: five million files, far more than all versions have. */
const PAGES_MAX = 5_000;

/** Maximum names in one deletion request of S3. */
const NAMES_PER_DELETION = 1_000;

/** Opens a prefix of a bucket in S3 or a compatible storage, without any request. */
export function openBucketStore(
  { name, bucket, prefix }: Extract<RemoteAddress, { readonly kind: "s3" }>,
  settings: RemoteSettings,
): RemoteWriter {
  const { attemptsMax, nowMs } = settings;
  const { retrying, once } = createBucketClients(settings);
  /** Before every path: nothing, or the prefix and a slash. */
  const keyPrefix = prefix === "" ? "" : `${prefix}/`;
  const objectAt = (path: string) => ({ Bucket: bucket, Key: `${keyPrefix}${path}` });

  async function calling<Result>(path: string, call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      throw bucketFailure(error, { name, path });
    }
  }

  async function* pages(query: {
    readonly Prefix: string;
    readonly Delimiter?: string;
  }): AsyncGenerator<ListObjectsV2CommandOutput> {
    let token: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const more = token === undefined ? {} : { ContinuationToken: token };
      const command = new ListObjectsV2Command({ Bucket: bucket, ...query, ...more });
      const answer = await calling(query.Prefix, () => retrying.send(command));
      yield answer;
      token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
      if (token === undefined) return;
    }
    throw remoteFailure("REMOTE_INVALID", `${name}: contains more than ${PAGES_MAX * 1_000} files`);
  }

  const reads = cappedReads({
    name,
    nowMs,
    async open(path, knownEtag, signal) {
      const condition = knownEtag === undefined ? {} : { IfNoneMatch: knownEtag };
      const options = signal === undefined ? {} : { abortSignal: signal };
      try {
        const answer = await retrying.send(
          new GetObjectCommand({ ...objectAt(path), ...condition }),
          options,
        );
        const { Body: body, ContentLength: length, ETag: etag } = answer;
        if (body instanceof Readable) return { body, length, etag };
      } catch (error) {
        if (statusOf(error) === 304 && knownEtag !== undefined) return "unchanged";
        if (isNotThere(error)) return undefined;
        throw error;
      }
      throw remoteFailure("REMOTE_AWAY", `${path}: has no body`, { path });
    },
    failure: (error, path, signal) => bucketFailure(error, { name, path, signal }),
  });
  return {
    name,
    ...reads,
    sha256Of: (path) =>
      calling(path, async () => {
        try {
          return (await retrying.send(new HeadObjectCommand(objectAt(path)))).Metadata?.["sha256"];
        } catch (error) {
          if (isNotThere(error)) return undefined;
          throw error;
        }
      }),
    async write(path, file) {
      // The SDK does not retry an upload from a stream, which is consumed by then.
      const ownAttemptsMax = Buffer.isBuffer(file.content) ? 1 : attemptsMax;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const command = new PutObjectCommand({ ...objectAt(path), ...contentOf(file) });
          await calling(path, () => retrying.send(command));
          return;
        } catch (error) {
          const mayPass = isRemoteFailure(error) && error.code === "REMOTE_AWAY";
          if (!mayPass || attempt >= ownAttemptsMax) throw error;
        }
      }
    },
    swap: (path, bytes, expectedEtag) =>
      calling(path, async () => {
        const command = new PutObjectCommand({
          ...objectAt(path),
          Body: bytes,
          ContentLength: bytes.length,
          ContentType: "application/json",
          CacheControl: "no-cache",
          ...(expectedEtag === undefined ? { IfNoneMatch: "*" } : { IfMatch: expectedEtag }),
        });
        try {
          await once.send(command);
          return true;
        } catch (error) {
          if (isConflict(error)) return false;
          throw error;
        }
      }),
    async list(from) {
      const entries = [];
      for await (const { Contents: contents = [] } of pages({ Prefix: `${keyPrefix}${from}` })) {
        for (const { Key: key = "", Size: bytes = 0 } of contents) {
          entries.push({ path: key.slice(keyPrefix.length), bytes });
        }
      }
      return entries;
    },
    async listFolders() {
      const folders: string[] = [];
      for await (const { CommonPrefixes: prefixes = [] } of pages({ Prefix: keyPrefix, Delimiter: "/" })) {
        for (const { Prefix: folder = "" } of prefixes) {
          folders.push(folder.slice(keyPrefix.length).replace(/\/$/, ""));
        }
      }
      return folders;
    },
    async remove(paths) {
      for (const some of inBatches(paths, NAMES_PER_DELETION)) {
        const command = new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: some.map((path) => ({ Key: objectAt(path).Key })), Quiet: true },
        });
        const answer = await calling(some[0] ?? "", () => retrying.send(command));
        const [failed] = answer.Errors ?? [];
        if (failed === undefined) continue;
        const path = (failed.Key ?? "").slice(keyPrefix.length);
        throw fileRefused("REMOTE_REFUSED", { name }, path, "could not be deleted");
      }
    },
    close: () => {
      retrying.destroy();
      once.destroy();
    },
  };
}

/** Whether a conditional write failed: condition not met (412), file to replace gone (404), or another write (409). */
function isConflict(error: unknown): boolean {
  const status = statusOf(error);
  return status === 412 || status === 409 || isNotThere(error);
}

function contentOf(file: RemoteUpload) {
  return {
    Body: Buffer.isBuffer(file.content) ? file.content : createReadStream(file.content.localPath),
    ContentLength: file.bytes,
    ContentType: file.mediaType,
    CacheControl: "public, max-age=31536000, immutable",
    ChecksumSHA256: Buffer.from(file.sha256, "hex").toString("base64"),
    // Read back by `sha256Of`, because ETags are not always hashes and not every storage keeps checksums.
    Metadata: { sha256: file.sha256 },
  };
}
