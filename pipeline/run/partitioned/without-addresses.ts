/**
 * Forty hex digits in a row, with what marks an address in a link: nothing, `0x`, or the zeros before one in a log. Longer
 * rows are hashes of transactions and proposals.
 */
const ADDRESSES = /(?<![0-9a-f])(0x)?(0{24})?[0-9a-f]{40}(?![0-9a-f])/gi;

/** As long and as much a number as what it stands for, so that whether a text is a link stays what it was. */
const NOBODY = "f".repeat(40);

/** A text in which nobody's address stands any more: people do link to wallets, as to that of the author. */
export function withoutAddresses(text: string): string {
  return text.replace(ADDRESSES, (_, mark = "", zeros = "") => `${mark}${zeros}${NOBODY}`);
}
