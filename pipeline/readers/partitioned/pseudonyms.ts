import { createHash, createHmac } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import { homeFile, inHome, makeHome } from "../../home/home.ts";
import type { Settings } from "../../home/settings.ts";

/** Bytes of one pseudonym: too many for two of a billion to fall together. */
export const PSEUDONYM_BYTES = 16;

/** Gives names that mean something only to whoever has the secret; the same secret gives the same names. */
export type Pseudonyms = ReturnType<typeof createPseudonyms>;

/**
 * Pseudonyms under a secret. A plain hash would be none: addresses are public, and hashing all of them takes an hour.
 * A wallet of an entity with no other wallet looks like any other, but for its person's pseudonym, which no wallet has.
 */
export function createPseudonyms(secret: Uint8Array) {
  // Words before what is hashed keep an id of one kind from ever being that of another.
  const digest = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  /** 32 bytes of a wallet: its voter's pseudonym, and the one of its person where it is nobody else's. */
  const digestOf = (address: string): Buffer => digest(`wallet ${address}`);
  /** The last 16 bytes of a digest: what stands for an entity in place of a wallet's own. */
  const entityBytes = (entityId: string): Buffer => digest(`entity ${entityId}`).subarray(PSEUDONYM_BYTES);
  return {
    /** Tells two secrets apart and gives neither away. */
    keyId: createHash("sha256").update(digest("key")).digest("hex").slice(0, 16),
    digestOf,
    entityBytes,
    voterIdOf: (address: string): string => digestOf(address).toString("hex", 0, PSEUDONYM_BYTES),
    /** Of an account in delegation data: another name than the same wallet has as a voter, because listings name addresses. */
    accountIdOf: (address: string): string =>
      digest(`account ${address}`).toString("hex", 0, PSEUDONYM_BYTES),
    /** Of the entity that the wallet belongs to, where it does. */
    personIdOf: (address: string, entityId: string | undefined): string =>
      (entityId === undefined ? digestOf(address).subarray(PSEUDONYM_BYTES) : entityBytes(entityId)).toString(
        "hex",
      ),
  };
}

const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}\n$/;

/** Rights of others on a file. */
const OTHERS_MASK = 0o077;

/** Undefined where the home has none. One that is there and cannot be used is not made again: all pseudonyms would change without a word. */
function readKey(path: string): Uint8Array | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & OTHERS_MASK) !== 0) {
    throw new PipelineError("HOME_INVALID", `${basename(path)} in the home can be read by others`, {
      hint: `Anyone who read it can identify every voter in your exports: delete it to get a new one, or \`chmod 600\` it if nobody did.`,
    });
  }
  const text = readFileSync(path, "latin1");
  if (KEY_TEXT.test(text)) return Buffer.from(text.trimEnd(), "hex");
  throw new PipelineError("HOME_INVALID", `${basename(path)} in the home is not a key`, {
    hint: "Put the right file back, or delete it: a new one gives voters other pseudonyms.",
  });
}

/** The secret under which this home names voters, made where there is none; never published. Throws `PipelineError` HOME_INVALID. */
export function pseudonymKey(settings: Settings, randomBytes: (count: number) => Uint8Array): Uint8Array {
  const path = homeFile(settings, "pseudonymKey");
  return inHome(settings, () => {
    const own = readKey(path);
    if (own !== undefined) return own;
    makeHome(settings);
    const key = Buffer.from(randomBytes(KEY_BYTES));
    const made = `${path}.${process.pid}.new`;
    rmSync(made, { force: true });
    writeFileSync(made, `${key.toString("hex")}\n`, { mode: 0o600, flag: "wx", flush: true });
    try {
      // A link and no rename: of two exports that make the first key at once, the second takes that of the first.
      linkSync(made, path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    } finally {
      rmSync(made, { force: true });
    }
    const kept = readKey(path);
    if (kept !== undefined) return kept;
    throw new PipelineError("HOME_INVALID", `${basename(path)} has disappeared`);
  });
}
