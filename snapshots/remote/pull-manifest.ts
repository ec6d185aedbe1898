import { sha256Hex } from "../format/canonical-json.ts";
import { MANIFEST_BYTES_MAX } from "../format/limits.ts";
import type { ManifestFile, Pointer } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { assertNamed, assertPointed, assertSealed } from "../store/locate-version.ts";
import { SIGNATURE_BYTES } from "../store/manifest-signature.ts";
import { SnapshotError } from "../store/snapshot-error.ts";
import { summarizeManifest } from "../store/summarize-manifest.ts";
import type { PullWish } from "./pull-wish.ts";
import { RemoteError } from "./remote-error.ts";
import { orInvalid } from "./remote-pointer.ts";

/** What seals a remote version, believed, and the files that are wanted of it. */
export interface PulledSeal {
  readonly manifest: Buffer;
  /** Undefined where it is not signed, and nobody asked for it to be. */
  readonly signature: Buffer | undefined;
  readonly files: readonly ManifestFile[];
}

/** The signature, where there is one. Many places answer 403 for what is not there: where nobody asked, that is none. */
async function readSignature(
  { reader, signal, trustedKeys }: PullWish,
  path: string,
): Promise<Buffer | undefined> {
  try {
    const read = await reader.readSmall(path, SIGNATURE_BYTES, undefined, signal);
    return typeof read === "object" ? read.bytes : undefined;
  } catch (error) {
    const isRefused = error instanceof RemoteError && error.code === "REMOTE_REFUSED";
    if (isRefused && trustedKeys === undefined) return undefined;
    throw error;
  }
}

function assertSigned(
  { reader, trustedKeys }: PullWish,
  manifest: Buffer,
  signature: Buffer | undefined,
): void {
  const isTrusted =
    trustedKeys === undefined ||
    (signature !== undefined && trustedKeys.some((key) => key.isSignerOf(manifest, signature)));
  if (isTrusted) return;
  const why =
    signature === undefined
      ? "is missing"
      : "is of none of the trusted keys, which have not signed this manifest";
  throw new SnapshotError("SNAPSHOT_UNSIGNED", `${reader.name}: ${PATHS.signature} ${why}`, {
    path: PATHS.signature,
  });
}

/**
 * The manifest that a remote pointer speaks of, with its signature: by size, hash and key before it is taken apart.
 * Throws `RemoteError` (REMOTE_STALE where it is not there yet) or `SnapshotError` SNAPSHOT_UNSIGNED.
 */
export async function pullSeal(wish: PullWish, pointer: Pointer): Promise<PulledSeal> {
  const { reader, signal, wanted = () => true } = wish;
  const path = `${pointer.version}/${PATHS.manifest}`;
  const bytesMax = Math.min(pointer.manifest.bytes, MANIFEST_BYTES_MAX);
  const read = await reader.readSmall(path, bytesMax, undefined, signal);
  if (read === undefined || read === "unchanged") {
    throw new RemoteError(
      "REMOTE_STALE",
      `${reader.name}: ${path} is not there (yet), and the pointer names it`,
      {
        path,
      },
    );
  }
  const { bytes } = read;
  const seal = { sha256: sha256Hex(bytes), bytes };
  orInvalid(reader.name, () => {
    assertSealed(pointer, seal);
    assertNamed(pointer.version, seal);
  });
  const signaturePath = `${pointer.version}/${PATHS.signature}`;
  const signature = await readSignature(wish, signaturePath);
  assertSigned(wish, bytes, signature);
  if (signature !== undefined && signature.length !== SIGNATURE_BYTES) {
    throw new RemoteError("REMOTE_INVALID", `${reader.name}: ${signaturePath} is no signature`, {
      path: signaturePath,
    });
  }
  const summary = await summarizeManifest(bytes, wanted).catch((error: unknown) =>
    orInvalid(reader.name, () => {
      throw error;
    }),
  );
  orInvalid(reader.name, () => assertPointed(pointer, summary.head, seal));
  return { manifest: bytes, signature, files: summary.chosen };
}
