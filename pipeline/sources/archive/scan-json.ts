const [ZERO, NINE, POINT, LOWER_E, UPPER_E, PLUS, MINUS] = [48, 57, 46, 101, 69, 43, 45];
const [TAB, CARRIAGE_RETURN, SPACE, QUOTE, COMMA, BACKSLASH, LETTER_U] = [9, 13, 32, 34, 44, 92, 117];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
/** Bytes from here on are part of a multi-byte character. */
const NOT_ASCII = 0x80;

interface ScannedNumber {
  number: number;
}

/**
 * Reads a non-negative JSON number as the same double that `JSON.parse` returns. Returns where it ends, or −1
 * if there is none; the caller checks what follows. Like all scanners here, it needs a terminating byte at
 * the end of the bytes.
 */
export function scanNumber(bytes: Buffer, from: number, target: ScannedNumber): number {
  let end = from;
  let whole = 0;
  for (; isDigit(bytes[end]); end += 1) whole = whole * 10 + ((bytes[end] as number) - ZERO);
  // A JSON number has a leading 0 only directly before the point.
  if (end === from || (bytes[from] === ZERO && end !== from + 1)) return -1;
  const isWhole = bytes[end] !== POINT && bytes[end] !== LOWER_E && bytes[end] !== UPPER_E;
  if (bytes[end] === POINT) {
    end = digitsEnd(bytes, end + 1);
    if (end === -1) return -1;
  }
  if (bytes[end] === LOWER_E || bytes[end] === UPPER_E) {
    const isSigned = bytes[end + 1] === PLUS || bytes[end + 1] === MINUS;
    end = digitsEnd(bytes, end + (isSigned ? 2 : 1));
    if (end === -1) return -1;
  }
  const isExact = isWhole && whole <= Number.MAX_SAFE_INTEGER;
  target.number = isExact ? whole : Number(bytes.toString("latin1", from, end));
  return end;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= NINE;
}

/** Where the digits that begin here end, or −1 if there are none. */
function digitsEnd(bytes: Buffer, from: number): number {
  let offset = from;
  while (isDigit(bytes[offset])) offset += 1;
  return offset === from ? -1 : offset;
}

/** Position of the closing quote of a text that begins here, or −1 if it has an escape or a non-ASCII byte. */
export function plainEnd(bytes: Buffer, from: number): number {
  for (let offset = from; ; offset += 1) {
    const code = bytes[offset] as number;
    if (code === QUOTE) return offset;
    if (code < SPACE || code >= NOT_ASCII || code === BACKSLASH) return -1;
  }
}

interface ScannedText {
  /** It contains something other than white space. */
  isGiven: boolean;
  /** It contains non-ASCII bytes, whose UTF-8 the caller must check. */
  isWide: boolean;
}

/** Characters allowed after a backslash, except `u` with four hex digits. */
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));

/** Position of the closing quote of a JSON text; −1 if it is invalid, or might be only non-ASCII white space. */
export function textEnd(bytes: Buffer, from: number, target: ScannedText): number {
  let isEscaped = false;
  target.isGiven = false;
  target.isWide = false;
  for (let offset = from; ; offset += 1) {
    const code = bytes[offset] as number;
    if (code === QUOTE) return target.isGiven || !(isEscaped || target.isWide) ? offset : -1;
    if (code >= NOT_ASCII) target.isWide = true;
    else if (code === BACKSLASH) {
      offset += 1;
      isEscaped = true;
      if (
        bytes[offset] === LETTER_U &&
        pairAt(ANY_HEX, bytes, offset + 1) + pairAt(ANY_HEX, bytes, offset + 3) < BAD
      )
        offset += 4;
      else if (!ESCAPED.has(bytes[offset] as number)) return -1;
    } else if (code > SPACE) target.isGiven = true;
    else if (code < SPACE) return -1;
  }
}

/** Longer choices are left to the slow path, which limits how many values one may hold. */
const CHOICE_BYTES_MAX = 4096;

/**
 * Where the flat list or object that begins here ends; −1 if it is nested, has an escape or a non-ASCII byte,
 * or is longer than a choice may be. The caller checks whether it is valid JSON.
 */
export function flatEnd(bytes: Buffer, from: number): number {
  const isList = bytes[from] === OPEN_LIST;
  if (!isList && bytes[from] !== OPEN_OBJECT) return -1;
  for (let offset = from + 1; offset < from + CHOICE_BYTES_MAX; offset += 1) {
    const code = bytes[offset] as number;
    if (code === QUOTE) {
      offset = plainEnd(bytes, offset + 1);
      if (offset === -1) return -1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT)
      return (code === CLOSE_LIST) === isList ? offset + 1 : -1;
    else if (code < COMMA && code !== SPACE) return -1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT || code >= NOT_ASCII) return -1;
  }
  return -1;
}

/** Skips JSON white space, except line feeds, as they end every line. */
export function pastSpace(bytes: Buffer, from: number): number {
  let offset = from;
  while (bytes[offset] === SPACE || bytes[offset] === TAB || bytes[offset] === CARRIAGE_RETURN) offset += 1;
  return offset;
}

export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Bytes to look for. The length is stored separately: reading `byteLength` is a slow call in the engine. */
export interface Expected {
  readonly view: DataView;
  readonly length: number;
}

export function expectedOf(bytes: Buffer): Expected {
  return { view: viewOf(bytes), length: bytes.length };
}

/** Whether the expected bytes are here. Compares four at once: keys and known proposal are half of a vote's bytes. */
export function isAt(expected: Expected, view: DataView, offset: number): boolean {
  const { view: wanted, length } = expected;
  let index = 0;
  for (; index + 4 <= length; index += 4)
    if (view.getInt32(offset + index) !== wanted.getInt32(index)) return false;
  for (; index < length; index += 1) if (view.getInt8(offset + index) !== wanted.getInt8(index)) return false;
  return true;
}

const BAD = 0x100;

/** A table from two adjacent characters to the value of those two hex digits; `BAD` for anything else. */
function pairsOf(digits: string): Uint16Array {
  const pairs = new Uint16Array(2 ** 16).fill(BAD);
  for (const high of digits) {
    for (const low of digits) {
      pairs[high.charCodeAt(0) | (low.charCodeAt(0) << 8)] = Number.parseInt(high + low, 16);
    }
  }
  return pairs;
}

function pairAt(pairs: Uint16Array, bytes: Buffer, offset: number): number {
  return pairs[(bytes[offset] as number) | ((bytes[offset + 1] as number) << 8)] as number;
}

export const SMALL_HEX = pairsOf("0123456789abcdef");
export const ANY_HEX = pairsOf("0123456789abcdefABCDEF");

/**
 * Reads hex digits as `addressWords` does, eight per word; returns whether all of them are in `pairs`. Reading
 * four bytes at once with a two-digit table takes half the time of single digits, and ids are most of a
 * vote's bytes.
 */
export function readHexWords(
  view: DataView,
  from: number,
  digits: number,
  pairs: Uint16Array,
  words: Int32Array,
): boolean {
  let bad = 0;
  let offset = from;
  for (let word = 0; word < digits >> 3; word += 1) {
    const first = view.getInt32(offset, true);
    const last = view.getInt32(offset + 4, true);
    const a = pairs[first & 0xffff] as number;
    const b = pairs[first >>> 16] as number;
    const c = pairs[last & 0xffff] as number;
    const d = pairs[last >>> 16] as number;
    bad |= a | b | c | d;
    words[word] = (a << 24) | (b << 16) | (c << 8) | d;
    offset += 8;
  }
  for (let word = digits >> 3; word < words.length; word += 1) words[word] = 0;
  return bad < BAD;
}
