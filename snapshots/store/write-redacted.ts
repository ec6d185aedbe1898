import { join } from "node:path";
import { sha256Hex } from "../format/canonical-json.ts";
import { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { attempt } from "./attempt.ts";
import { encodeDocument } from "./encode-document.ts";
import type { SignManifest } from "./manifest-signature.ts";
import { sealOf, versionName } from "./publish-version.ts";
import type { RedactedDraft } from "./redact-draft.ts";
import type { SnapshotDisk } from "./snapshot-disk.ts";
import { stageVersion } from "./stage-version.ts";
import { STAGING_PREFIX } from "./tidy-root.ts";
import { verifyStaged } from "./verify-staged.ts";

/**
 * Writes the redacted form of a version that the pointer does not name, whole and verified before it has its name. It
 * keeps time and sequence of the one it replaces: it is the same moment of the past. Answers its name.
 */
export async function writeRedacted(
  disk: SnapshotDisk,
  { located, files, kept }: RedactedDraft,
  signManifest: SignManifest | undefined,
): Promise<string> {
  const { version: replaced, manifest } = located;
  const entries = [...files.map(({ entry }) => entry), ...kept];
  const bytes = encodeDocument(PATHS.manifest, Manifest, {
    ...manifest,
    replaces: replaced,
    redacted: true,
    files: entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  });
  const sha256 = sha256Hex(bytes);
  const version = versionName(Date.parse(manifest.created_at), sha256);
  const staging = `${STAGING_PREFIX}redacted-${replaced}`;
  try {
    await attempt("write the files of the version", () =>
      stageVersion(disk, staging, {
        files,
        seal: () => sealOf(bytes, signManifest),
        kept: { version: replaced, entries: kept },
        previous: undefined,
      }),
    );
    await verifyStaged(join(disk.root, staging), { path: PATHS.manifest, bytes: bytes.length, sha256 });
    await attempt("name the version", () => disk.rename(staging, version));
    await attempt("make the name of the version durable", () => disk.syncDirectory("."));
    return version;
  } catch (error) {
    await Promise.allSettled([disk.remove(staging)]);
    throw error;
  }
}
