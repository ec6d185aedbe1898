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
 * Columns of whole numbers with a fixed width in bytes, always little-endian. Each width has its own loop, because a call
 * or a branch per value took most of the time of a ballot. All indexes exist: callers have checked the lengths.
 */

/** Writes values of `width` bytes each (0 to 4; 0 writes nothing) from `start` on; returns the end offset. */
export function writeColumn(
  bytes: Uint8Array,
  start: number,
  width: number,
  values: Uint32Array | Uint8Array,
): number {
  const count = values.length;
  let at = start;
  if (width === 1) {
    for (let index = 0; index < count; index += 1, at += 1) bytes[at] = values[index] as number;
  } else if (width === 2) {
    for (let index = 0; index < count; index += 1, at += 2) {
      const value = values[index] as number;
      bytes[at] = value;
      bytes[at + 1] = value >>> 8;
    }
  } else if (width === 3) {
    for (let index = 0; index < count; index += 1, at += 3) {
      const value = values[index] as number;
      bytes[at] = value;
      bytes[at + 1] = value >>> 8;
      bytes[at + 2] = value >>> 16;
    }
  } else if (width === 4) {
    const view = viewOf(bytes);
    for (let index = 0; index < count; index += 1, at += 4) view.setUint32(at, values[index] as number, true);
  }
  return at;
}

/** Reads `count` values that `writeColumn` wrote from `start` on; zeros for width 0. */
export function readColumn(bytes: Uint8Array, start: number, width: number, count: number): Uint32Array {
  const values = new Uint32Array(count);
  let at = start;
  if (width === 1) {
    for (let index = 0; index < count; index += 1, at += 1) values[index] = bytes[at] as number;
  } else if (width === 2) {
    for (let index = 0; index < count; index += 1, at += 2) {
      values[index] = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    }
  } else if (width === 3) {
    for (let index = 0; index < count; index += 1, at += 3) {
      values[index] =
        (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16);
    }
  } else if (width === 4) {
    const view = viewOf(bytes);
    for (let index = 0; index < count; index += 1, at += 4) values[index] = view.getUint32(at, true);
  }
  return values;
}

/** Writes doubles (8 bytes each, IEEE 754) from `start` on; returns the end offset. */
export function writeDoubles(bytes: Uint8Array, start: number, values: Float64Array): number {
  const view = viewOf(bytes);
  const count = values.length;
  let at = start;
  for (let index = 0; index < count; index += 1, at += 8) view.setFloat64(at, values[index] as number, true);
  return at;
}

/** Reads `count` numbers that `writeDoubles` wrote from `start` on. */
export function readDoubles(bytes: Uint8Array, start: number, count: number): Float64Array {
  const view = viewOf(bytes);
  const values = new Float64Array(count);
  for (let index = 0, at = start; index < count; index += 1, at += 8)
    values[index] = view.getFloat64(at, true);
  return values;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
