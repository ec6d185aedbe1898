import { bucketListing } from "./bucket-listing.ts";
import { bucketPlaceOf } from "./bucket-place.ts";
import { bucketReads } from "./bucket-read.ts";
import { bucketWrites } from "./bucket-write.ts";
import type { RemoteAddress } from "./parse-address.ts";
import { createConflictProbe } from "./probe-conflicts.ts";
import type { RemoteSettings } from "./remote-options.ts";
import type { RemoteWriter } from "./remote-store.ts";

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
