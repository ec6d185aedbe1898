import { createHmac } from "node:crypto";

/** What is kept of an opted-out entity: HMAC-SHA-256 of its id under the list's own secret. */
export function optOutDigest(secret: Buffer, entityId: string): Buffer {
  return createHmac("sha256", secret).update(entityId, "utf8").digest();
}
