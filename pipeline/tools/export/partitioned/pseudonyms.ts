import { createHash, createHmac } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { createOnce, writeNew } from "../../../../snapshots/base/durable-files.ts";
import { pipelineFailure } from "../../../facts/errors.ts";
import { homeFile, inHome, makeHome } from "../../../home/home.ts";
import type { Settings } from "../../../home/settings.ts";

/** Bytes of a pseudonym: enough that no two among a billion collide. */
export const PSEUDONYM_BYTES = 16;

/** Maps addresses to pseudonyms under a secret; the same secret gives the same pseudonyms. */
export type Pseudonyms = ReturnType<typeof createPseudonyms>;

/**
 * Creates pseudonyms under a secret. A plain hash would not protect anybody: addresses are public, and
 * hashing all of them takes an hour. A wallet of an entity differs from others only in its person id, which
 * is no wallet's own.
 */
export function createPseudonyms(secret: Uint8Array) {
  // A prefix for each kind keeps ids of different kinds distinct.
  const digest = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  /** 32 bytes of a wallet: its voter id, and its person id if it belongs to no entity. */
  const digestOf = (address: string): Buffer => digest(`wallet ${address}`);
  /** The last 16 bytes of a digest: an entity's person id. */
  const entityBytes = (entityId: string): Buffer => digest(`entity ${entityId}`).subarray(PSEUDONYM_BYTES);
  return {
    /** Identifies the secret without revealing it. */
    keyId: createHash("sha256").update(digest("key")).digest("hex").slice(0, 16),
    digestOf,
    entityBytes,
    voterIdOf: (address: string): string => digestOf(address).toString("hex", 0, PSEUDONYM_BYTES),
    /** The id of an account in delegation data; not its voter id, because listings contain addresses. */
    accountIdOf: (address: string): string =>
      digest(`account ${address}`).toString("hex", 0, PSEUDONYM_BYTES),
    /** The person id of a wallet, or of its entity. */
    personIdOf: (address: string, entityId: string | undefined): string =>
      (entityId === undefined ? digestOf(address).subarray(PSEUDONYM_BYTES) : entityBytes(entityId)).toString(
        "hex",
      ),
  };
}

const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}\n$/;

const OTHERS_MASK = 0o077;

/** The key, if the home has one. An unusable key is never replaced: all pseudonyms would silently change. */
function readKey(path: string): Uint8Array | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if ((stat.mode & OTHERS_MASK) !== 0) {
    throw pipelineFailure("HOME_INVALID", `${basename(path)} in the home is readable by others`, {
      hint: `Anyone who read it can identify every voter in your exports: delete it to get a new one, or \`chmod 600\` it if nobody did.`,
    });
  }
  const text = readFileSync(path, "latin1");
  if (KEY_TEXT.test(text)) return Buffer.from(text.trimEnd(), "hex");
  throw pipelineFailure("HOME_INVALID", `${basename(path)} in the home is not a key`, {
    hint: "Restore the right file, or delete it: a new key gives voters other pseudonyms.",
  });
}

/** The home's secret for pseudonyms, created if missing; never published. Throws `HOME_INVALID`. */
export function pseudonymKey(settings: Settings, randomBytes: (count: number) => Uint8Array): Uint8Array {
  const path = homeFile(settings, "pseudonymKey");
  return inHome(settings, () => {
    const existing = readKey(path);
    if (existing !== undefined) return existing;
    makeHome(settings);
    const key = Buffer.from(randomBytes(KEY_BYTES));
    createOnce(path, (draft) => writeNew(draft, `${key.toString("hex")}\n`));
    const kept = readKey(path);
    if (kept !== undefined) return kept;
    throw pipelineFailure("HOME_INVALID", `${basename(path)} has disappeared`);
  });
}
