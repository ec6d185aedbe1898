import { crc32 } from "node:zlib";
import type { z } from "zod";
import { invariant } from "../facts/errors.ts";
import { isAddress } from "../facts/voters.ts";

/** An address as bytes: 20 for EVM, 32 for Starknet. Throws on another spelling, which would make a second voter. */
export function addressBytes(address: string): Buffer {
  invariant(isAddress(address), "an address is not 0x and 40 or 64 lower-case hex digits");
  return Buffer.from(address.slice(2), "hex");
}

export function addressOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

const CHECKSUM_BYTES = 4;

/** CRC-32 of bytes, seeded with the name they belong to, so that bytes under another name do not match. */
function checksumOf(name: string, bytes: Uint8Array): number {
  return crc32(bytes, crc32(name));
}

/**
 * Concatenates columns in a buffer of its own and adds their checksum under a name. Numbers have the machine's byte order.
 *
 * CRC-32, because the threat is a bad disk and not a forger: it detects every flipped byte and every burst of up to 32
 * bits, in a fifth of the time and an eighth of the bytes of a hash.
 */
export function sealColumns(name: string, columns: readonly ArrayBufferView[]): Buffer {
  const length = columns.reduce((sum, column) => sum + column.byteLength, 0);
  const bytes = Buffer.alloc(length + CHECKSUM_BYTES);
  let offset = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += byteLength;
  }
  bytes.writeUInt32LE(checksumOf(name, bytes.subarray(0, length)), length);
  return bytes;
}

/** The columns that were sealed under a name; throws what `fail` makes of the reason if the bytes are damaged. */
export function openSealed(
  name: string,
  sealed: Uint8Array,
  bytesMin: number,
  fail: (reason: string) => Error,
): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const length = bytes.length - CHECKSUM_BYTES;
  const columns = bytes.subarray(0, Math.max(0, length));
  if (length < bytesMin || bytes.readUInt32LE(length) !== checksumOf(name, columns)) {
    throw fail("the checksum does not match");
  }
  return columns;
}

/** Copies the column of `count` numbers that lies from `start` on: bytes from SQLite are not aligned. */
export function columnAt<Column>(
  Type: { readonly BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike): Column },
  { buffer, byteOffset }: Uint8Array,
  start: number,
  count: number,
): Column {
  const from = byteOffset + start;
  return new Type(buffer.slice(from, from + count * Type.BYTES_PER_ELEMENT));
}

export function parseColumn<Shape extends z.ZodType>(
  shape: Shape,
  json: string,
): z.output<Shape> | undefined {
  try {
    return shape.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
