import { Readable } from "node:stream";
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
} from "@aws-sdk/client-s3";
import { bucketFailure, isNotThere, statusOf } from "./bucket-failure.ts";
import type { BucketPlace } from "./bucket-place.ts";
import { assertWithin, cappedStream, collectCapped } from "./capped-stream.ts";
import { type RemoteEntry, RemoteError, type RemoteWriter } from "./remote-store.ts";

/** A thousand names each: five million files, far more than a place of versions holds. */
const PAGES_MAX = 5_000;

/** So many names the service takes in one deletion. */
const DELETED_AT_ONCE = 1_000;

/** How a place in S3 is looked through and tidied. */
export function bucketListing({
  patient,
  bucket,
  under,
  name,
  at,
  calling,
}: BucketPlace): Pick<RemoteWriter, "list" | "listFolders" | "remove"> {
  async function* pages(
    wish: { readonly Prefix: string; readonly Delimiter?: string },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ListObjectsV2CommandOutput> {
    let token: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const more = token === undefined ? {} : { ContinuationToken: token };
      const command = new ListObjectsV2Command({ Bucket: bucket, ...wish, ...more });
      const answer = await calling(wish.Prefix, (options) => patient.send(command, options), signal);
      yield answer;
      token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
      if (token === undefined) return;
    }
    throw new RemoteError("REMOTE_INVALID", `${name}: holds more than ${PAGES_MAX * 1_000} files`);
  }

  return {
    async list(prefix, signal) {
      const entries: RemoteEntry[] = [];
      for await (const { Contents: contents = [] } of pages({ Prefix: `${under}${prefix}` }, signal)) {
        for (const { Key: key = "", Size: bytes = 0 } of contents) {
          entries.push({ path: key.slice(under.length), bytes });
        }
      }
      return entries;
    },
    async listFolders(signal) {
      const folders: string[] = [];
      for await (const { CommonPrefixes: found = [] } of pages({ Prefix: under, Delimiter: "/" }, signal)) {
        for (const { Prefix: folder = "" } of found) {
          folders.push(folder.slice(under.length).replace(/\/$/, ""));
        }
      }
      return folders;
    },
    async remove(paths, signal) {
      for (let from = 0; from < paths.length; from += DELETED_AT_ONCE) {
        const some = paths.slice(from, from + DELETED_AT_ONCE);
        const command = new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects: some.map((path) => ({ Key: at(path).Key })), Quiet: true },
        });
        const answer = await calling(some[0] ?? "", (options) => patient.send(command, options), signal);
        const [failed] = answer.Errors ?? [];
        if (failed === undefined) continue;
        const path = (failed.Key ?? "").slice(under.length);
        throw new RemoteError("REMOTE_REFUSED", `${name}: ${path} could not be deleted`, { path });
      }
    },
  };
}

function bodyOf(answer: GetObjectCommandOutput, path: string, bytesMax: number): Readable {
  const { Body: body, ContentLength: length } = answer;
  if (!(body instanceof Readable))
    throw new RemoteError("REMOTE_AWAY", `${path}: came without a body`, { path });
  try {
    assertWithin(length, bytesMax, path);
  } catch (error) {
    // What is too much need not come.
    body.destroy();
    throw error;
  }
  return body;
}

/** How a place in S3 is read from. */
export function bucketReads(place: BucketPlace): Pick<RemoteWriter, "read" | "readSmall" | "inspect"> {
  const { patient, at, name, calling, nowMs } = place;
  return {
    async *read(path, bytesMax, signal) {
      try {
        const options = signal === undefined ? {} : { abortSignal: signal };
        const answer = await patient.send(new GetObjectCommand(at(path)), options);
        yield* cappedStream(bodyOf(answer, path, bytesMax), bytesMax, path, nowMs);
      } catch (error) {
        throw bucketFailure(error, { name, path, signal });
      }
    },
    readSmall: (path, bytesMax, knownEtag, signal) =>
      calling(
        path,
        async (options) => {
          const condition = knownEtag === undefined ? {} : { IfNoneMatch: knownEtag };
          try {
            const answer = await patient.send(new GetObjectCommand({ ...at(path), ...condition }), options);
            const bytes = await collectCapped(bodyOf(answer, path, bytesMax), bytesMax, path, nowMs);
            return { bytes, etag: answer.ETag };
          } catch (error) {
            if (statusOf(error) === 304 && knownEtag !== undefined) return "unchanged";
            if (isNotThere(error)) return undefined;
            throw error;
          }
        },
        signal,
      ),
    inspect: (path, signal) =>
      calling(
        path,
        async (options) => {
          try {
            const answer = await patient.send(new HeadObjectCommand(at(path)), options);
            return { bytes: answer.ContentLength ?? -1, sha256: answer.Metadata?.["sha256"] };
          } catch (error) {
            if (isNotThere(error)) return undefined;
            throw error;
          }
        },
        signal,
      ),
  };
}
