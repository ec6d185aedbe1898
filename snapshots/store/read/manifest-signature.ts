import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { PATHS, SIGNATURE_BYTES } from "../../format/paths.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** More keys than any rotation needs. */
const PUBLIC_KEYS_MAX = 8;

/** An Ed25519 public key that is trusted to sign manifests. */
export type TrustedKey = NonNullable<ReturnType<typeof trustedKeyOf>>;

/** Signs the bytes of a manifest. */
export type SignManifest = (manifest: Buffer) => Buffer;

/** Who signs, and whose signature on an earlier version is believed. */
export interface Signer {
  readonly signManifest: SignManifest;
  readonly trustedKeys: readonly TrustedKey[];
}

/** The spelling of a public key in settings and on the terminal. */
function publicKeyText(key: KeyObject): string {
  return key.export({ format: "der", type: "spki" }).toString("base64");
}

function trustedKeyOf(text: string) {
  try {
    const der = Buffer.from(text, "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    // One spelling a key: base64 is forgiving, and a key that was cut or mistyped must not pass for another.
    if (key.asymmetricKeyType !== "ed25519" || publicKeyText(key) !== text) return undefined;
    return {
      /** Base64 of its SubjectPublicKeyInfo: the one line between the two of a PEM file. */
      text,
      isSignerOf: (manifest: Buffer, signature: Buffer): boolean =>
        signature.length === SIGNATURE_BYTES && verify(null, manifest, key, signature),
    };
  } catch {
    return undefined;
  }
}

/** Public keys as an operator gives them, separated by commas; `undefined` where one of them is none, or none is there. */
export function parseTrustedKeys(text: string): readonly TrustedKey[] | undefined {
  const texts = text.split(",").map((each) => each.trim());
  if (texts.length > PUBLIC_KEYS_MAX) return undefined;
  const keys = texts.flatMap((each) => trustedKeyOf(each) ?? []);
  return keys.length === texts.length ? keys : undefined;
}

/** How a private key in PEM signs, and its public key; `undefined` where it is no Ed25519 key. */
export function manifestSigner(privateKeyPem: string) {
  try {
    const key = createPrivateKey(privateKeyPem);
    if (key.asymmetricKeyType !== "ed25519") return undefined;
    return {
      publicKey: publicKeyText(createPublicKey(key)),
      signManifest: (manifest: Buffer): Buffer => sign(null, manifest, key),
    };
  } catch {
    return undefined;
  }
}

function unsigned(message: string, cause?: unknown): SnapshotError {
  const path = PATHS.signature;
  return new SnapshotError("SNAPSHOT_UNSIGNED", `${path}: ${message}`, { path, cause });
}

function readSignature(directory: string): Buffer {
  try {
    return readCapped(directory, PATHS.signature, SIGNATURE_BYTES);
  } catch (error) {
    if (error instanceof SnapshotError) throw unsigned("is missing, or is no signature", error);
    throw error;
  }
}

/** Refuses a version whose manifest none of the trusted keys has signed, with `SNAPSHOT_UNSIGNED`. */
export function requireSignature(
  directory: string,
  manifest: Buffer,
  trustedKeys: readonly TrustedKey[],
): void {
  const signature = readSignature(directory);
  if (trustedKeys.some((key) => key.isSignerOf(manifest, signature))) return;
  throw unsigned("none of the trusted keys has signed this manifest");
}
