import { createHash, createHmac } from "node:crypto";

/** Bytes of one pseudonym: too many for two of a billion to fall together. */
export const PSEUDONYM_BYTES = 16;

/** Gives names that mean something only to whoever has the secret; the same secret gives the same names. */
export interface Pseudonyms {
  /** Tells two secrets apart and gives neither away. */
  readonly keyId: string;
  /** 32 bytes of a wallet: its voter's pseudonym, and the one of its person where it is nobody else's. */
  digestOf(address: string): Buffer;
  voterIdOf(address: string): string;
  /** Of an account in delegation data: another name than the same wallet has as a voter, because listings name addresses. */
  accountIdOf(address: string): string;
  /** Of the entity that the wallet belongs to, where it does. */
  personIdOf(address: string, entityId: string | undefined): string;
  /** The last 16 bytes of a digest: what stands for an entity in place of a wallet's own. */
  entityBytes(entityId: string): Buffer;
}

/**
 * Pseudonyms under a secret. A plain hash would be none: addresses are public, and hashing all of them takes an hour.
 * A wallet of an entity with no other wallet looks like any other, but for its person's pseudonym, which no wallet has.
 */
export function createPseudonyms(secret: Uint8Array): Pseudonyms {
  // Words before what is hashed keep an id of one kind from ever being that of another.
  const digest = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  const digestOf = (address: string): Buffer => digest(`wallet ${address}`);
  const entityBytes = (entityId: string): Buffer => digest(`entity ${entityId}`).subarray(PSEUDONYM_BYTES);
  return {
    keyId: createHash("sha256").update(digest("key")).digest("hex").slice(0, 16),
    digestOf,
    entityBytes,
    accountIdOf: (address) => digest(`account ${address}`).toString("hex", 0, PSEUDONYM_BYTES),
    voterIdOf: (address) => digestOf(address).toString("hex", 0, PSEUDONYM_BYTES),
    personIdOf: (address, entityId) =>
      (entityId === undefined ? digestOf(address).subarray(PSEUDONYM_BYTES) : entityBytes(entityId)).toString(
        "hex",
      ),
  };
}
