import { isUtf8 } from "node:buffer";
import { closeSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RowError } from "../upstream/row-error.ts";
import { ifPresent, openRegular } from "./disk-errors.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";
import { parseJson } from "./parse-json.ts";

/** A document of an archive: read, and parsed when it is asked for (which throws `RowError`). */
export interface ArchiveDocument {
  value(): unknown;
}

/** Reads a file that holds one JSON document; `undefined` where there is none. */
export async function readDocument(directory: string, file: string): Promise<ArchiveDocument | undefined> {
  const bytes = await ifPresent(file, () => readBounded(join(directory, file)));
  if (bytes === undefined) return undefined;
  return {
    value() {
      if (bytes === "too large") {
        throw new RowError("ROW_TOO_LONG", `it is larger than ${ARCHIVE_LIMITS.fileBytesMax} bytes`);
      }
      if (!isUtf8(bytes)) throw new RowError("BAD_JSON", "it is not UTF-8");
      // An editor may have put a byte order mark before it; the decoder takes it away.
      return parseJson(new TextDecoder().decode(bytes));
    },
  };
}

function readBounded(path: string): Buffer | "too large" {
  const { descriptor, bytes } = openRegular(path);
  try {
    return bytes > ARCHIVE_LIMITS.fileBytesMax ? "too large" : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
