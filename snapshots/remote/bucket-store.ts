import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { isNotThere, statusOf } from "./bucket-failure.ts";
import { type BucketPlace, bucketPlaceOf } from "./bucket-place.ts";
import { bucketListing, bucketReads } from "./bucket-read.ts";
import type { RemoteAddress, RemoteSettings } from "./remote-address.ts";
import { RemoteError, type RemoteUpload, type RemoteWriter } from "./remote-store.ts";

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
function bucketWrites({
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

/** An ETag that no storage ever gave. */
const NO_ETAG = '"00000000000000000000000000000000"';

/** What the probe needs of a place. */
type Probed = Pick<RemoteWriter, "write" | "swap" | "remove">;

async function probe({ write, swap, remove }: Probed): Promise<boolean> {
  const path = `.govdata-probe-${randomUUID()}`;
  const bytes = Buffer.from("Whether this storage refuses conditional writes; to be deleted.\n");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await write(path, {
    content: bytes,
    bytes: bytes.length,
    sha256,
    mediaType: "text/plain",
    isImmutable: false,
  });
  try {
    const refusesAnother = (await swap(path, bytes, undefined)) === "moved";
    return refusesAnother && (await swap(path, bytes, NO_ETAG)) === "moved";
  } finally {
    await remove([path]).catch(() => {
      // A file of some bytes stays; whoever may write and not delete has it so.
    });
  }
}

/**
 * Tells whether a place refuses a write whose condition does not hold. Some take the header and do not look at it: then
 * two publishers could both believe to have won, so it is tried, once a process, on a file of no meaning.
 */
export function createConflictProbe(probed: Probed): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  return () => {
    known ??= probe(probed).catch((error: unknown) => {
      // An outage is no answer: the next call asks again.
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** A prefix of an S3 bucket, or of what speaks like one; nothing is called yet. */
export function openBucketStore(
  address: Extract<RemoteAddress, { readonly kind: "s3" }>,
  settings: RemoteSettings,
): RemoteWriter {
  const place = bucketPlaceOf(address, settings);
  const calls = { ...bucketReads(place), ...bucketWrites(place), ...bucketListing(place) };
  return {
    ...calls,
    name: place.name,
    refusesConflicts: createConflictProbe(calls),
    close: () => {
      place.patient.destroy();
      place.once.destroy();
    },
  };
}
