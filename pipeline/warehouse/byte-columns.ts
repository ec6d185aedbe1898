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

/**
 * Writes values of `width` bytes each (0 to 4; 0 writes nothing) from `start` on, little-endian; returns the end offset.
 * One byte of all values after the other, because a branch per value took most of the time of a ballot.
 */
export function writeColumn(
  bytes: Uint8Array,
  start: number,
  width: number,
  values: Uint32Array | Uint8Array,
): number {
  const count = values.length;
  for (let byte = 0; byte < width; byte += 1) {
    for (let index = 0, offset = start + byte; index < count; index += 1, offset += width)
      bytes[offset] = (values[index] as number) >>> (8 * byte);
  }
  return start + width * count;
}

/** Reads `count` values that `writeColumn` wrote from `start` on; zeros for width 0. */
export function readColumn(bytes: Uint8Array, start: number, width: number, count: number): Uint32Array {
  const values = new Uint32Array(count);
  for (let byte = 0; byte < width; byte += 1) {
    for (let index = 0, offset = start + byte; index < count; index += 1, offset += width)
      values[index] = (values[index] as number) | ((bytes[offset] as number) << (8 * byte));
  }
  return values;
}

/** Writes doubles (8 bytes each, IEEE 754) from `start` on; returns the end offset. */
export function writeDoubles(bytes: Uint8Array, start: number, values: Float64Array): number {
  const view = viewOf(bytes);
  const count = values.length;
  let offset = start;
  for (let index = 0; index < count; index += 1, offset += 8)
    view.setFloat64(offset, values[index] as number, true);
  return offset;
}

/** Reads `count` numbers that `writeDoubles` wrote from `start` on. */
export function readDoubles(bytes: Uint8Array, start: number, count: number): Float64Array {
  const view = viewOf(bytes);
  const values = new Float64Array(count);
  for (let index = 0, offset = start; index < count; index += 1, offset += 8)
    values[index] = view.getFloat64(offset, true);
  return values;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
