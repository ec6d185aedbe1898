import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  keyFileFor,
  manifestSigner,
  parseTrustedKeys,
  type Signer,
  type TrustedKey,
} from "../../snapshots/store/read/manifest-signature.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { homeFile, inHome, makeHome, writeHomeFile } from "./home.ts";
import type { Settings } from "./settings.ts";

const OTHERS_MASK = 0o077;

/** The signing key of the home; `undefined` if it has none. Throws `HOME_INVALID` for an unusable key. */
export function readSigningKey(settings: Settings): ReturnType<typeof manifestSigner> {
  const path = homeFile(settings, "signingKey");
  const name = basename(path);
  return inHome(settings, () => {
    if (!existsSync(path)) return undefined;
    if ((statSync(path).mode & OTHERS_MASK) !== 0) {
      throw pipelineFailure("HOME_INVALID", `${name} in the home can be read by others`, {
        hint: "Anyone who read it can sign in your name: make a new key with `govdata sign-key --rotate`.",
      });
    }
    const signer = keyIn(path);
    if (signer !== undefined) return signer;
    throw pipelineFailure("HOME_INVALID", `${name} in the home is not an Ed25519 private key`, {
      hint: "Put the right file back, or make a new key with `govdata sign-key --rotate`.",
    });
  });
}

const keyIn = (path: string) => (existsSync(path) ? manifestSigner(readFileSync(path, "utf8")) : undefined);

interface SigningKeyChange {
  /** Replaces the key. The old private key is lost; versions signed with it keep their signatures. */
  readonly isRotation: boolean;
  /** The deployment for which it signs from now on; unchanged if absent. */
  readonly deployment?: string | undefined;
}

/** `govdata sign-key`: returns the public key of the home; creates a key if there is none. */
export function runSignKey(settings: Settings, { isRotation, deployment }: SigningKeyChange) {
  const path = homeFile(settings, "signingKey");
  // A rotation also replaces a key that others could read, or that is invalid.
  const key = isRotation ? inHome(settings, () => keyIn(path)) : readSigningKey(settings);
  const isNew = key === undefined || isRotation;
  const signsFor = deployment ?? key?.signManifest.deployment;
  if (!isNew && signsFor === key.signManifest.deployment) return { publicKey: key.publicKey, isNew };
  const pem = isNew
    ? generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString()
    : inHome(settings, () => readFileSync(path, "utf8"));
  const keyFile = signsFor === undefined ? pem : keyFileFor(signsFor, pem);
  if (keyFile === undefined) {
    throw pipelineFailure("BAD_OPTION", "--deployment is not a valid name", {
      hint: "Use up to 63 lower-case letters, digits and dashes.",
    });
  }
  makeHome(settings);
  writeHomeFile(settings, "signingKey", keyFile);
  const made = readSigningKey(settings);
  if (made === undefined) throw pipelineFailure("HOME_INVALID", `${basename(path)} has disappeared`);
  return { publicKey: made.publicKey, isNew };
}

/** The home's signer. Its trusted keys, for earlier versions, are its own and those of `--public-key`. */
export function signerOf(settings: Settings, publicKeys: string | undefined): Signer | undefined {
  const key = readSigningKey(settings);
  if (key === undefined) return undefined;
  const named = publicKeys === undefined ? [] : trustedKeysOf(publicKeys);
  return { signManifest: key.signManifest, trustedKeys: [...trustedKeysOf(key.plainKey), ...named] };
}

/** Parses the public keys of `--public-key`; throws `BAD_OPTION`. */
export function trustedKeysOf(text: string): readonly TrustedKey[] {
  const keys = parseTrustedKeys(text);
  if (keys !== undefined) return keys;
  throw pipelineFailure(
    "BAD_OPTION",
    "--public-key is not an Ed25519 public key or a comma-separated list of them",
    {
      hint: "`govdata sign-key` prints the public key of a home (one line of base64).",
    },
  );
}
