/** The bytes of `0x` hex; `undefined` where it is something else, or longer than `bytesMax`. */
export function hexToBytes(hex: string, bytesMax: number): Uint8Array | undefined {
  if (hex.length > 2 + 2 * bytesMax || !/^0x(?:[0-9a-f]{2})*$/i.test(hex)) return undefined;
  const bytes = new Uint8Array((hex.length - 2) / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(hex.slice(2 + 2 * index, 4 + 2 * index), 16);
  }
  return bytes;
}
