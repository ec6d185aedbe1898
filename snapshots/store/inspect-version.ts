import { sha256Hex } from "../format/canonical-json.ts";
import { MANIFEST_BYTES_MAX } from "../format/limits.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import {
  assertNamed,
  assertPointed,
  assertSealed,
  type ManifestHead,
  refuseRollback,
  type VersionChoice,
  versionDirectory,
} from "./locate-version.ts";
import { openSummedIndex } from "./open-index.ts";
import { readPointer } from "./read-pointer.ts";
import { requireSignature } from "./require-signature.ts";
import { summarizeManifest } from "./summarize-manifest.ts";
import { readCapped } from "./verified-file.ts";

/** A version that was found good: what a reader has to know to open it. Nothing in it but data, so that a thread can hand it over. */
export interface InspectedVersion {
  readonly version: string;
  readonly head: ManifestHead;
  readonly index: ManifestFile;
  /** Of the index, when it was found good. */
  readonly indexTrace: string;
}

/** Finds a version good, here or in a thread of its own; throws `SnapshotError`. */
export type InspectVersion = (root: string, choice: VersionChoice) => Promise<InspectedVersion>;

/**
 * Verifies pointer, manifest and index of a version, as `locateVersion` and `openIndex` do, and that the index leads to
 * the dated listings of the manifest; keeps no list of files, of which there may be hundreds of thousands.
 */
export async function inspectVersion(root: string, choice: VersionChoice): Promise<InspectedVersion> {
  const pointer = readPointer(root);
  refuseRollback(pointer, choice.sequenceMin);
  const version = choice.version ?? pointer.version;
  const directory = versionDirectory(root, version);
  const bytes = readCapped(directory, PATHS.manifest, MANIFEST_BYTES_MAX);
  const sha256 = sha256Hex(bytes);
  assertNamed(version, { sha256 });
  if (version === pointer.version) assertSealed(pointer, { sha256, bytes });
  // Before anybody takes it apart: what is not ours may be made to cost much.
  if (choice.trustedKeys !== undefined) requireSignature(directory, bytes, choice.trustedKeys);
  const { head, ...files } = await summarizeManifest(bytes);
  if (version === pointer.version) assertPointed(pointer, head, { sha256, bytes });
  const index = await openSummedIndex(directory, files);
  const indexTrace = index.trace();
  index.close();
  return { version, head, index: files.index, indexTrace };
}
