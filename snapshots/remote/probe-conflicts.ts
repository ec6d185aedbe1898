import { createHash, randomUUID } from "node:crypto";
import type { RemoteWriter } from "./remote-store.ts";

/** An ETag that no storage ever gave. */
const NO_ETAG = '"00000000000000000000000000000000"';

/** What the probe needs of a place. */
type Probed = Pick<RemoteWriter, "write" | "swap" | "remove">;

async function probe({ write, swap, remove }: Probed): Promise<boolean> {
  const path = `.govdata-probe-${randomUUID()}`;
  const bytes = Buffer.from("Whether this storage refuses conditional writes; to be deleted.\n");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await write(path, {
    content: bytes,
    bytes: bytes.length,
    sha256,
    mediaType: "text/plain",
    isImmutable: false,
  });
  try {
    const refusesAnother = (await swap(path, bytes, undefined)) === "moved";
    return refusesAnother && (await swap(path, bytes, NO_ETAG)) === "moved";
  } finally {
    await remove([path]).catch(() => {
      // A file of some bytes stays; whoever may write and not delete has it so.
    });
  }
}

/**
 * Tells whether a place refuses a write whose condition does not hold. Some take the header and do not look at it: then
 * two publishers could both believe to have won, so it is tried, once a process, on a file of no meaning.
 */
export function createConflictProbe(probed: Probed): () => Promise<boolean> {
  let known: Promise<boolean> | undefined;
  return () => {
    known ??= probe(probed).catch((error: unknown) => {
      // An outage is no answer: the next call asks again.
      known = undefined;
      throw error;
    });
    return known;
  };
}
