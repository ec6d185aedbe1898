import type { RemoteAddress } from "./parse-address.ts";
import { createConflictProbe } from "./probe-conflicts.ts";
import type { RemoteSettings } from "./remote-options.ts";
import type { RemoteWriter } from "./remote-store.ts";
import { s3Listing } from "./s3-listing.ts";
import { s3PlaceOf } from "./s3-place.ts";
import { s3Reads } from "./s3-read.ts";
import { s3Writes } from "./s3-write.ts";

/** A prefix of an S3 bucket, or of what speaks like one; nothing is called yet. */
export function openS3Store(
  address: Extract<RemoteAddress, { readonly kind: "s3" }>,
  settings: RemoteSettings,
): RemoteWriter {
  const place = s3PlaceOf(address, settings);
  const calls = { ...s3Reads(place), ...s3Writes(place), ...s3Listing(place) };
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
