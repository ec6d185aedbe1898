import { crc32 } from "node:zlib";

/** CRC-32 of bytes, begun with the name they belong to, so that bytes under another name do not match. */
export function checksumOf(name: string, bytes: Uint8Array): number {
  return crc32(bytes, crc32(name));
}
