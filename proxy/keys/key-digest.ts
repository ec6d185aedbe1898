import { createHmac } from "node:crypto";

/** The secret that makes stolen digests useless. Never in the database, never in a log. */
export type Pepper = string;

/** Several at once while one takes the place of another, the newest first: new keys are stored under that one. */
export type Peppers = readonly [Pepper, ...Pepper[]];

/** What is stored of a key: HMAC-SHA-256 under the pepper. */
export function keyDigest(pepper: Pepper, key: string): Buffer {
  return createHmac("sha256", pepper).update(key, "utf8").digest();
}

/** A fixed digest by which a database recognises the pepper its keys were stored under. */
export function pepperCheck(pepper: Pepper): Buffer {
  return keyDigest(pepper, "govdata pepper check");
}
