import { invariant } from "../facts/errors.ts";
import { isAddress } from "../facts/voters.ts";

/** An address as bytes: 20 for EVM, 32 for Starknet. Throws on another spelling, which would make a second voter. */
export function addressBytes(address: string): Buffer {
  invariant(isAddress(address), "an address is not 0x and 40 or 64 lower-case hex digits");
  return Buffer.from(address.slice(2), "hex");
}

/** The inverse of `addressBytes`. */
export function addressOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** Concatenates columns in a buffer of its own, with `spareBytes` more at the end. Numbers have the machine's byte order. */
export function joinColumns(columns: readonly ArrayBufferView[], spareBytes: number): Buffer {
  const length = columns.reduce((sum, column) => sum + column.byteLength, spareBytes);
  const bytes = Buffer.alloc(length);
  let offset = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += byteLength;
  }
  return bytes;
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
