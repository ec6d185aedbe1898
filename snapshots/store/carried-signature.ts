import { existsSync } from "node:fs";
import { join } from "node:path";
import { PATHS } from "../format/paths.ts";
import { type LocatedVersion, readManifest } from "./locate-version.ts";
import type { TrustedKey } from "./manifest-signature.ts";
import { requireSignature } from "./require-signature.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** What stands beside a manifest: a signature by one of the keys, none, or one that none of them gave. */
export type CarriedSignature = "trusted" | "none" | "untrusted";

/** Looks at the signature a version carries. A new one for its content must not vouch for what nobody vouched for. */
export function carriedSignature(
  { directory }: LocatedVersion,
  trustedKeys: readonly TrustedKey[],
): CarriedSignature {
  if (!existsSync(join(directory, PATHS.signature))) return "none";
  try {
    requireSignature(directory, readManifest(directory).bytes, trustedKeys);
    return "trusted";
  } catch (error) {
    if (error instanceof SnapshotError && error.code === "SNAPSHOT_UNSIGNED") return "untrusted";
    throw error;
  }
}
