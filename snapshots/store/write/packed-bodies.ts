import { join } from "node:path";
import type { DocumentRow } from "../read/index-schema.ts";
import type { PreviousVersion } from "../read/kept-versions.ts";
import { type OpenIndex, openIndex } from "../read/open-index.ts";
import { SnapshotError } from "../read/snapshot-error.ts";
import { compress, etagOf, unpacksTo } from "../read/snapshot-reader.ts";

/** A body that is to be packed: by its place in an index, and by its content. */
export type PlainBody = Pick<DocumentRow, "kind" | "id" | "body"> & { readonly etag: string };

/** The columns of an index that hold a body packed. */
export type PackedBody = Pick<DocumentRow, "gzip" | "gzip_etag" | "brotli" | "brotli_etag">;

/** Answers a body as it was packed before; nothing where it was not. */
export type PackedBodyOf = (plain: PlainBody) => PackedBody | undefined;

/** Packs each content once: taken from before where it was there, and from this run where it comes again. */
export function packedOnce(before: PackedBodyOf): (plain: PlainBody) => PackedBody {
  const ofThisRun = new Map<string, PackedBody>();
  return (plain) => {
    const packed = ofThisRun.get(plain.etag) ?? before(plain) ?? pack(plain.body);
    ofThisRun.set(plain.etag, packed);
    return packed;
  };
}

function pack(body: Buffer): PackedBody {
  return sealed(compress(body, "gzip"), compress(body, "br"));
}

function sealed(gzip: Buffer, brotli: Buffer): PackedBody {
  return { gzip, gzip_etag: etagOf(gzip), brotli, brotli_etag: etagOf(brotli) };
}

function bodiesIn(index: OpenIndex): PackedBodyOf {
  const find = index.read((database) =>
    database.prepare<[string, string], PackedBody & Pick<DocumentRow, "body">>(
      "SELECT body, gzip, gzip_etag, brotli, brotli_etag FROM documents WHERE kind = ? AND id = ?",
    ),
  );
  return ({ kind, id, body }) => {
    try {
      const found = index.read(() => find.get(kind, id));
      if (found === undefined || !found.body.equals(body)) return undefined;
      // What goes to callers must be what is signed: unpacking is a tenth of packing, and believing an index is neither.
      const isSame = unpacksTo(body, found.gzip, "gzip") && unpacksTo(body, found.brotli, "br");
      return isSame ? sealed(found.gzip, found.brotli) : undefined;
    } catch (error) {
      // What has become unreadable meanwhile saves no work any more.
      if (error instanceof SnapshotError) return undefined;
      throw error;
    }
  };
}

/**
 * The bodies that the version before has packed, from its index, verified like a reader's. A damaged one must not keep
 * a good version from being published; it only saves no work.
 */
export async function packedBefore(
  root: string,
  previous: PreviousVersion | undefined,
): Promise<{ readonly of: PackedBodyOf; readonly close: () => void }> {
  const nothing = { of: () => undefined, close: () => {} };
  if (previous === undefined) return nothing;
  try {
    const index = await openIndex(join(root, previous.pointer.version), {
      files: [...previous.files.values()],
    });
    return { of: bodiesIn(index), close: index.close };
  } catch (error) {
    if (error instanceof SnapshotError) return nothing;
    throw error;
  }
}
