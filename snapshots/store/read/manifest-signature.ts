import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { DeploymentName } from "../../format/manifest.ts";
import { PATHS, SIGNATURE_BYTES } from "../../format/paths.ts";
import { isSnapshotFailure, type SnapshotFailure, snapshotFailure } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

/** Maximum number of trusted keys, more than any rotation needs. */
const PUBLIC_KEYS_MAX = 8;

/** An Ed25519 public key that is trusted to sign manifests. */
export type TrustedKey = NonNullable<ReturnType<typeof trustedKeyOf>>;

export interface SignManifest {
  (manifest: Buffer): Buffer;
  readonly deployment?: string;
}

/** The signing function, and the keys whose signatures on earlier versions are trusted. */
export interface Signer {
  readonly signManifest: SignManifest;
  readonly trustedKeys: readonly TrustedKey[];
}

/** `deployment:key`, or the key alone, which is trusted for every deployment. */
const KEY_TEXT = /^(?:([^:]*):)?([^:]+)$/;

/** Manifests are canonical JSON, so the deployment is always at the same position. */
const DEPLOYMENT = /^\{"format":\d+,"deployment":"([a-z0-9-]+)",/;
const DEPLOYMENT_WITHIN_BYTES = 128;

function deploymentOf(manifest: Buffer): string | undefined {
  return DEPLOYMENT.exec(manifest.subarray(0, DEPLOYMENT_WITHIN_BYTES).toString("latin1"))?.[1];
}

/** The first line of a key file for one deployment; it is not part of the key. */
const KEY_FILE_DEPLOYMENT = /^deployment: (.*)\n/;

function publicKeyText(key: KeyObject): string {
  return key.export({ format: "der", type: "spki" }).toString("base64");
}

function trustedKeyOf(text: string) {
  const [, deployment, base64 = ""] = KEY_TEXT.exec(text) ?? [];
  if (deployment !== undefined && !DeploymentName.safeParse(deployment).success) return undefined;
  try {
    const der = Buffer.from(base64, "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    // Only canonical base64: decoding is lenient, and a truncated or mistyped key must not be taken for another.
    if (key.asymmetricKeyType !== "ed25519" || publicKeyText(key) !== base64) return undefined;
    return {
      /** Base64 of its SubjectPublicKeyInfo (the middle line of a PEM file), with the deployment before it, if any. */
      text,
      isSignerOf: (manifest: Buffer, signature: Buffer): boolean =>
        signature.length === SIGNATURE_BYTES &&
        verify(null, manifest, key, signature) &&
        (deployment === undefined || deployment === deploymentOf(manifest)),
    };
  } catch {
    return undefined;
  }
}

/** Parses comma-separated public keys; `undefined` if the list is empty or one of them is invalid. */
export function parseTrustedKeys(text: string): readonly TrustedKey[] | undefined {
  const texts = text.split(",").map((key) => key.trim());
  if (texts.length > PUBLIC_KEYS_MAX) return undefined;
  const keys = texts.flatMap((text) => trustedKeyOf(text) ?? []);
  return keys.length === texts.length ? keys : undefined;
}

/** The content of a key file for one deployment, from a private key in PEM; `undefined` if the name is invalid. */
export function keyFileFor(deployment: string, privateKeyPem: string): string | undefined {
  if (!DeploymentName.safeParse(deployment).success) return undefined;
  return `deployment: ${deployment}\n${privateKeyPem.replace(KEY_FILE_DEPLOYMENT, "")}`;
}

/** The signing function and public key of a key file's content; `undefined` if it is no Ed25519 key. */
export function manifestSigner(keyFile: string) {
  try {
    const deployment = KEY_FILE_DEPLOYMENT.exec(keyFile)?.[1];
    const key = createPrivateKey(keyFile.replace(KEY_FILE_DEPLOYMENT, ""));
    if (key.asymmetricKeyType !== "ed25519") return undefined;
    const signs = (manifest: Buffer): Buffer => sign(null, manifest, key);
    const plainKey = publicKeyText(createPublicKey(key));
    if (deployment === undefined)
      return { publicKey: plainKey, plainKey, signManifest: signs as SignManifest };
    const signManifest: SignManifest = Object.assign(signs, { deployment });
    return { publicKey: `${deployment}:${plainKey}`, plainKey, signManifest };
  } catch {
    return undefined;
  }
}

function unsigned(message: string, cause?: unknown): SnapshotFailure {
  const path = PATHS.signature;
  return snapshotFailure("SNAPSHOT_UNSIGNED", `${path}: ${message}`, { path, cause });
}

function readSignature(directory: string): Buffer {
  try {
    return readCapped(directory, PATHS.signature, SIGNATURE_BYTES);
  } catch (error) {
    if (isSnapshotFailure(error)) throw unsigned("is missing, or is no signature", error);
    throw error;
  }
}

/** Refuses a version whose manifest none of the trusted keys has signed, with `SNAPSHOT_UNSIGNED`. */
export function requireSignature(
  directory: string,
  manifest: Buffer,
  trustedKeys: readonly TrustedKey[],
): true {
  const signature = readSignature(directory);
  if (trustedKeys.some((key) => key.isSignerOf(manifest, signature))) return true;
  throw unsigned("none of the trusted keys has signed this manifest");
}
