/** Bytes of an id: too many for two ids ever to be the same. */
const ID_BYTES = 12;

/** Ids drawn at once: asking the system for each costs more than everything else about an id. */
const IDS_DRAWN = 256;

/** Makes request ids, each of fresh randomness and in hex, so that one says nothing about another. */
export function createRequestIds(randomBytes: (count: number) => Uint8Array): () => string {
  let drawn = "";
  let at = 0;
  return () => {
    if (at === drawn.length) {
      drawn = Buffer.from(randomBytes(ID_BYTES * IDS_DRAWN)).toString("hex");
      at = 0;
    }
    at += 2 * ID_BYTES;
    return drawn.slice(at - 2 * ID_BYTES, at);
  };
}
