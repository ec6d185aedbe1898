import { hexToBytes } from "./hex-bytes.ts";

const WORD_BYTES = 32;
const ADDRESS_BYTES = 20;
const NOBODY = `0x${"0".repeat(ADDRESS_BYTES * 2)}`;

/** DNS allows 255 bytes for a whole name; what is longer is nobody's name. */
const NAME_BYTES_MAX = 255;

/** An answer may be padded, but a contract that fills memory is not listened to. */
const ANSWER_BYTES_MAX = 4096;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The address in a contract's answer, in lower case; `undefined` for the zero address and for anything else. */
export function decodeAddress(answer: string): `0x${string}` | undefined {
  const word = /^0x0{24}([0-9a-f]{40})$/i.exec(answer)?.[1];
  if (word === undefined) return undefined;
  const address = `0x${word.toLowerCase()}` as const;
  return address === NOBODY ? undefined : address;
}

/** The text in a contract's answer, as Solidity returns one string; `undefined` where it is empty, too long or no UTF-8. */
export function decodeText(answer: string): string | undefined {
  const bytes = hexToBytes(answer, ANSWER_BYTES_MAX);
  if (bytes === undefined || wordAt(bytes, 0) !== WORD_BYTES) return undefined;
  const length = wordAt(bytes, WORD_BYTES);
  const start = 2 * WORD_BYTES;
  if (length === undefined || length === 0 || length > NAME_BYTES_MAX) return undefined;
  if (start + length > bytes.length) return undefined;
  try {
    return utf8.decode(bytes.subarray(start, start + length));
  } catch {
    return undefined;
  }
}

/** A word that is a small number; `undefined` where it is cut off or too large to be one. */
function wordAt(bytes: Uint8Array, offset: number): number | undefined {
  const word = bytes.subarray(offset, offset + WORD_BYTES);
  if (word.length < WORD_BYTES || word.subarray(0, WORD_BYTES - 4).some((byte) => byte !== 0))
    return undefined;
  return new DataView(word.buffer, word.byteOffset + WORD_BYTES - 4, 4).getUint32(0);
}
