import { ManifestFile } from "../format/manifest.ts";

/** Bytes taken at a time: less than a millisecond of work, far more than one entry, and a string that is cheap to forget. */
const SLICE_BYTES = 64 * 1024;

const MEDIA_TYPES = ManifestFile.shape.media_type.options;

/** A file's path as `ManifestFile` has it. */
const PATH = "[a-z0-9][A-Za-z0-9._-]*(?:\\/[a-z0-9][A-Za-z0-9._-]*)*";

/** One entry in its canonical spelling, and what follows it. */
const ENTRY = new RegExp(
  `\\{"path":"(${PATH})","bytes":(0|[1-9]\\d{0,15}),"sha256":"([0-9a-f]{64})",` +
    `"records":(0|[1-9]\\d{0,15}),"media_type":"(${MEDIA_TYPES.map((type) => type.replaceAll(/[.+/]/g, "\\$&")).join("|")})"\\}([,\\]])`,
  "y",
);

/** What follows the list of files in a manifest. */
export const AFTER_ENTRIES = "}\n";

/**
 * The files of a manifest whose list begins at `from`, a slice at a time, so that others can work in between. Returns
 * false where anything is not spelt as we spell it; then nothing of what came may be used.
 *
 * JSON and zod need two seconds and 400 MB for the 370,000 files of a year of listings, this a fifth of a second and
 * one slice.
 */
export function* manifestEntries(bytes: Buffer, from: number): Generator<readonly ManifestFile[], boolean> {
  let at = from;
  for (;;) {
    const text = bytes.toString("latin1", at, Math.min(at + SLICE_BYTES, bytes.length));
    const files: ManifestFile[] = [];
    let taken = 0;
    ENTRY.lastIndex = 0;
    for (let match = ENTRY.exec(text); match !== null; match = ENTRY.exec(text)) {
      const [, path = "", size, sha256 = "", count, type, next] = match;
      const [bytesOfFile, records] = [Number(size), Number(count)];
      const mediaType = MEDIA_TYPES.find((each) => each === type);
      if (mediaType === undefined) return false;
      if (!Number.isSafeInteger(bytesOfFile) || !Number.isSafeInteger(records)) return false;
      files.push({ path, bytes: bytesOfFile, sha256, records, media_type: mediaType });
      taken = ENTRY.lastIndex;
      if (next === "]") {
        yield files;
        return bytes.toString("latin1", at + taken, bytes.length) === AFTER_ENTRIES;
      }
    }
    if (files.length === 0) return false;
    yield files;
    at += taken;
  }
}
