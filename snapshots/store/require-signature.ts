import { PATHS } from "../format/paths.ts";
import { SIGNATURE_BYTES, type TrustedKey } from "./manifest-signature.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readCapped } from "./verified-file.ts";

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
