import { Readable } from "node:stream";
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand } from "@aws-sdk/client-s3";
import { bucketFailure, isNotThere, statusOf } from "./bucket-failure.ts";
import type { BucketPlace } from "./bucket-place.ts";
import { assertWithin, cappedStream, collectCapped } from "./capped-stream.ts";
import { RemoteError } from "./remote-error.ts";
import type { RemoteWriter } from "./remote-store.ts";

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
