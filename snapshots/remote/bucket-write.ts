import { createReadStream } from "node:fs";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { isNotThere, statusOf } from "./bucket-failure.ts";
import type { BucketPlace } from "./bucket-place.ts";
import { RemoteError } from "./remote-error.ts";
import type { RemoteUpload, RemoteWriter } from "./remote-store.ts";

const FOR_EVER = "public, max-age=31536000, immutable";
const ASK_EVERY_TIME = "no-cache";

/** Refused because the condition does not hold (412, or 404 where what was to be replaced is gone), or another write is on its way (409). */
function isConflict(error: unknown): boolean {
  const status = statusOf(error);
  return status === 412 || status === 409 || isNotThere(error);
}

function contentOf(file: RemoteUpload) {
  return {
    Body: Buffer.isBuffer(file.content) ? file.content : createReadStream(file.content.localPath),
    ContentLength: file.bytes,
    ContentType: file.mediaType,
    CacheControl: file.isImmutable ? FOR_EVER : ASK_EVERY_TIME,
    ChecksumSHA256: Buffer.from(file.sha256, "hex").toString("base64"),
    // Read back by `inspect`: an ETag says nothing certain of the bytes, and not every storage keeps checksums.
    Metadata: { sha256: file.sha256 },
  };
}

/** How a place in S3 is written to. */
export function bucketWrites({
  patient,
  once,
  at,
  calling,
  attemptsMax,
}: BucketPlace): Pick<RemoteWriter, "write" | "swap"> {
  return {
    async write(path, file, signal) {
      // The SDK tries nothing again that it reads from a stream, as that is gone by then.
      const ownAttemptsMax = Buffer.isBuffer(file.content) ? 1 : attemptsMax;
      for (let attempt = 1; ; attempt += 1) {
        try {
          const command = new PutObjectCommand({ ...at(path), ...contentOf(file) });
          await calling(path, (options) => patient.send(command, options), signal);
          return;
        } catch (error) {
          const mayPass = error instanceof RemoteError && error.code === "REMOTE_AWAY";
          if (!mayPass || attempt >= ownAttemptsMax) throw error;
        }
      }
    },
    swap: (path, bytes, expectedEtag) =>
      calling(path, async () => {
        const condition = expectedEtag === undefined ? { IfNoneMatch: "*" } : { IfMatch: expectedEtag };
        const content = {
          Body: bytes,
          ContentLength: bytes.length,
          ContentType: "application/json",
          CacheControl: ASK_EVERY_TIME,
        };
        try {
          const { ETag: etag } = await once.send(
            new PutObjectCommand({ ...at(path), ...content, ...condition }),
          );
          return { etag };
        } catch (error) {
          if (isConflict(error)) return "moved";
          throw error;
        }
      }),
  };
}
