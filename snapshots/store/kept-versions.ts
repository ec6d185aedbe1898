import { readdirSync } from "node:fs";
import type { Manifest } from "../format/manifest.ts";
import { locateVersion } from "./locate-version.ts";
import { readPointer } from "./read-pointer.ts";
import { versionNames } from "./retention.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** A kept version by what its manifest says of it. */
export interface KeptVersion {
  readonly version: string;
  readonly isCurrent: boolean;
  readonly manifest: Manifest;
}

/**
 * The versions that are kept and whose manifest can be believed, by sequence. What lies past the pointer was never
 * published. Throws `SnapshotError` where nothing was.
 */
export function keptVersions(root: string): readonly KeptVersion[] {
  const pointer = readPointer(root);
  return versionNames(readdirSync(root))
    .flatMap((version): KeptVersion[] => {
      try {
        const { manifest } = locateVersion(root, { version });
        return [{ version, isCurrent: version === pointer.version, manifest }];
      } catch (error) {
        if (error instanceof SnapshotError) return [];
        throw error;
      }
    })
    .filter(({ manifest }) => manifest.sequence <= pointer.sequence)
    .sort((a, b) => a.manifest.sequence - b.manifest.sequence);
}
