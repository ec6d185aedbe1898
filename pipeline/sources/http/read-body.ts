import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { HttpFault } from "./http-fault.ts";

/** The encodings we ask for, and undo ourselves, so that we count what comes out. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** How a body is packed, how large it may become, and who counts it. */
export interface BodyReading {
  readonly encoding: string | undefined;
  readonly bytesMax: number;
  readonly onBytes: (count: number) => void;
}

/** The unpacked bytes of a body. What grows past the cap is left where it is, and the connection with it. */
export async function readBody(
  body: Readable,
  { encoding, bytesMax, onBytes }: BodyReading,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of unpacked(body, encoding)) {
    const part: Buffer = chunk;
    bytes += part.byteLength;
    onBytes(part.byteLength);
    if (bytes > bytesMax) {
      throw new HttpFault("final", `sent more than ${bytesMax} bytes`, { isTooMuch: true });
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

function unpacked(body: Readable, encoding: string | undefined): Readable {
  const decoder = decoderOf(encoding);
  if (decoder === "none") return body;
  if (decoder === "unknown") {
    body.on("error", () => {}).destroy();
    throw new HttpFault("final", "packed its answer in a way that nobody asked for");
  }
  // Both ends fail together; whoever reads the decoder hears of it.
  return pipeline(body, decoder, () => {});
}

function decoderOf(encoding: string | undefined) {
  switch ((encoding ?? "").trim().toLowerCase()) {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    // Also several at once: each layer multiplies what a small answer can grow to.
    default:
      return "unknown";
  }
}
