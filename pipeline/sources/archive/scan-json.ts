const [ZERO, NINE, POINT, LOWER_E, UPPER_E, PLUS, MINUS] = [48, 57, 46, 101, 69, 43, 45];
const [TAB, CARRIAGE_RETURN, SPACE, QUOTE, COMMA, BACKSLASH, LETTER_U] = [9, 13, 32, 34, 44, 92, 117];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
/** From here on a byte is a part of a character of several. */
const NOT_ASCII = 0x80;

/** Powers of ten that are exact doubles (5^22 is below 2^53): one division by them rounds right. */
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Where a scanned number goes. */
interface ScannedNumber {
  number: number;
}

/**
 * Reads a number of JSON from 0 up, to the very double that `JSON.parse` would give. Answers where it ends, or −1 where none
 * begins; what follows is for the caller to judge. Like all of these it looks on until a byte that is no part of what it
 * reads, which must end the bytes.
 */
export function scanNumber(bytes: Buffer, from: number, into: ScannedNumber): number {
  let at = from;
  let whole = 0;
  for (; isDigit(bytes[at]); at += 1) whole = whole * 10 + ((bytes[at] as number) - ZERO);
  // A number of JSON begins with 0 only where that is all before the point.
  if (at === from || (bytes[from] === ZERO && at !== from + 1)) return -1;
  let fraction = 0;
  let fractionFrom = at;
  if (bytes[at] === POINT) {
    at += 1;
    fractionFrom = at;
    for (; isDigit(bytes[at]); at += 1) fraction = fraction * 10 + ((bytes[at] as number) - ZERO);
    if (at === fractionFrom) return -1;
  }
  const end = bytes[at] === LOWER_E || bytes[at] === UPPER_E ? exponentEnd(bytes, at + 1) : at;
  if (end === -1) return -1;
  const rounded = end === at ? roundedSum(whole, fraction, at - fractionFrom) : Number.NaN;
  into.number = Number.isNaN(rounded) ? Number(bytes.toString("latin1", from, end)) : rounded;
  return end;
}

/** The double next to whole + fraction / 10^fractionDigits, or NaN where this cannot tell which one it is. */
function roundedSum(whole: number, fraction: number, fractionDigits: number): number {
  const divisor = POWERS_OF_TEN[fractionDigits];
  if (divisor === undefined || whole > Number.MAX_SAFE_INTEGER || fraction > Number.MAX_SAFE_INTEGER)
    return Number.NaN;
  const digits = whole * divisor + fraction;
  if (digits <= Number.MAX_SAFE_INTEGER) return digits / divisor;
  // Most powers of votes have a digit or two more. The part after the point is then wrong by less than an EPSILON-th of
  // it; where the sum rounds to the same double at both ends of that, it is the right one.
  const part = fraction / divisor;
  const low = whole + part * (1 - Number.EPSILON);
  return low === whole + part * (1 + Number.EPSILON) ? low : Number.NaN;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= NINE;
}

/** Where the digits of an exponent end, or −1 where there are none. */
function exponentEnd(bytes: Buffer, from: number): number {
  const digitsFrom = bytes[from] === PLUS || bytes[from] === MINUS ? from + 1 : from;
  let at = digitsFrom;
  while (isDigit(bytes[at])) at += 1;
  return at === digitsFrom ? -1 : at;
}

/** Where a text that begins here has its closing quote, or −1 where it holds an escape or anything but ASCII. */
export function plainEnd(bytes: Buffer, from: number): number {
  for (let at = from; ; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at;
    if (code < SPACE || code >= NOT_ASCII || code === BACKSLASH) return -1;
  }
}

/** What a text holds, as far as it can be told from its bytes. */
interface ScannedText {
  /** Something that is no white space. */
  isGiven: boolean;
  /** Bytes that are not ASCII: it must still be seen whether they are UTF-8. */
  isWide: boolean;
}

/** What may stand after a backslash, but for `u` and four hex digits. */
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));

/** Where any text of JSON that begins here has its closing quote; −1 where it is none, or may be white space that is not ASCII. */
export function textEnd(bytes: Buffer, from: number, into: ScannedText): number {
  let isEscaped = false;
  into.isGiven = false;
  into.isWide = false;
  for (let at = from; ; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) return into.isGiven || !(isEscaped || into.isWide) ? at : -1;
    if (code >= NOT_ASCII) into.isWide = true;
    else if (code === BACKSLASH) {
      at += 1;
      isEscaped = true;
      if (bytes[at] === LETTER_U && pairAt(ANY_HEX, bytes, at + 1) + pairAt(ANY_HEX, bytes, at + 3) < BAD)
        at += 4;
      else if (!ESCAPED.has(bytes[at] as number)) return -1;
    } else if (code > SPACE) into.isGiven = true;
    else if (code < SPACE) return -1;
  }
}

/** A longer choice is left to the plain way, which knows how many values one may hold. */
const CHOICE_BYTES_MAX = 4096;

/**
 * Where the list or object that begins here ends, or −1 where it holds another one, an escape, anything but ASCII, or more
 * than a choice does. Whether it is JSON is for the caller to see.
 */
export function flatEnd(bytes: Buffer, from: number): number {
  const isList = bytes[from] === OPEN_LIST;
  if (!isList && bytes[from] !== OPEN_OBJECT) return -1;
  for (let at = from + 1; at < from + CHOICE_BYTES_MAX; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) {
      at = plainEnd(bytes, at + 1);
      if (at === -1) return -1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT)
      return (code === CLOSE_LIST) === isList ? at + 1 : -1;
    else if (code < COMMA && code !== SPACE) return -1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT || code >= NOT_ASCII) return -1;
  }
  return -1;
}

/** Past JSON's space, of which a line feed, that ends every line, is none here. */
export function pastSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CARRIAGE_RETURN) at += 1;
  return at;
}

/** A view of all of these bytes. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Bytes to look for. Their number stands beside the view: the engine calls out of line for `byteLength`. */
export interface Expected {
  readonly view: DataView;
  readonly length: number;
}

/** These bytes, to look for. */
export function expectedOf(bytes: Buffer): Expected {
  return { view: viewOf(bytes), length: bytes.length };
}

/** Whether what is expected stands here. Four bytes at once: keys and the known proposal are half of a vote's bytes. */
export function isAt(expected: Expected, view: DataView, at: number): boolean {
  const { view: wanted, length } = expected;
  let index = 0;
  for (; index + 4 <= length; index += 4)
    if (view.getInt32(at + index) !== wanted.getInt32(index)) return false;
  for (; index < length; index += 1) if (view.getInt8(at + index) !== wanted.getInt8(index)) return false;
  return true;
}

const BAD = 0x100;

/** By two characters as they stand one after the other, what the two hex digits are worth; `BAD` where one is none. */
function pairsOf(digits: string): Uint16Array {
  const pairs = new Uint16Array(2 ** 16).fill(BAD);
  for (const high of digits) {
    for (const low of digits) {
      pairs[high.charCodeAt(0) | (low.charCodeAt(0) << 8)] = Number.parseInt(high + low, 16);
    }
  }
  return pairs;
}

function pairAt(pairs: Uint16Array, bytes: Buffer, at: number): number {
  return pairs[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;
}

/** Digits with small letters. */
export const SMALL_HEX = pairsOf("0123456789abcdef");
/** Digits with letters of either case. */
export const ANY_HEX = pairsOf("0123456789abcdefABCDEF");

/**
 * Reads hex digits as `readAddress` does, eight to a word, and answers whether all of them are such as `pairs` has. Four
 * bytes at once and two digits by one table: half the time of a digit after the other, and ids are most of a vote's bytes.
 */
export function readHexWords(
  view: DataView,
  from: number,
  digits: number,
  pairs: Uint16Array,
  words: Int32Array,
): boolean {
  let bad = 0;
  let at = from;
  for (let word = 0; word < digits >> 3; word += 1) {
    const first = view.getInt32(at, true);
    const last = view.getInt32(at + 4, true);
    const a = pairs[first & 0xffff] as number;
    const b = pairs[first >>> 16] as number;
    const c = pairs[last & 0xffff] as number;
    const d = pairs[last >>> 16] as number;
    bad |= a | b | c | d;
    words[word] = (a << 24) | (b << 16) | (c << 8) | d;
    at += 8;
  }
  for (let word = digits >> 3; word < words.length; word += 1) words[word] = 0;
  return bad < BAD;
}
