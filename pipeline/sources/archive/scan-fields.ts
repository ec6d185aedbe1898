const [ZERO, NINE, POINT, LOWER_E, UPPER_E, PLUS, MINUS] = [48, 57, 46, 101, 69, 43, 45];

/** Whole numbers of so many digits are exact doubles, whatever the digits. */
const EXACT_DIGITS = 15;
/** Times ten and a digit more, this is below 2^53 still. */
const TIMES_TEN_MAX = 900_719_925_474_098;
/** Digits past the exact ones that are read as a number of their own. */
const TAIL_DIGITS_MAX = 7;

/** Powers of ten that are exact doubles: 5^22 is below 2^53. */
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** 2^27 + 1: takes the upper half of a double's 53 bits apart from the lower. */
const SPLITTER = 134_217_729;
/** More than the quotient of `roundedQuotient` can be wrong by, as a share of it (2^-101). */
const DOUBT = 2 ** -98;

/** Where a scanned number goes. */
export interface ScannedNumber {
  number: number;
}

/**
 * Reads a number of JSON from 0 up, to the very double that `JSON.parse` would give. Answers where it ends, or −1 where none
 * begins; what follows is for the caller to judge. A byte that is no part of a number must end the bytes.
 */
export function scanNumber(bytes: Uint8Array, from: number, into: ScannedNumber): number {
  let at = from;
  let head = 0;
  let headDigits = 0;
  let tail = 0;
  let tailDigits = 0;
  let fractionFrom = 0;
  // All places are before the byte that ends the number.
  let code = bytes[at] as number;
  if (code < ZERO || code > NINE) return -1;
  for (;;) {
    if (headDigits < EXACT_DIGITS) {
      head = head * 10 + (code - ZERO);
      if (head !== 0) headDigits += 1;
    } else {
      tail = tail * 10 + (code - ZERO);
      tailDigits += 1;
    }
    at += 1;
    code = bytes[at] as number;
    if (code >= ZERO && code <= NINE) {
      // A number of JSON begins with 0 only where that is all before the point.
      if (head === 0 && fractionFrom === 0) return -1;
      continue;
    }
    if (code !== POINT || fractionFrom !== 0) break;
    at += 1;
    fractionFrom = at;
    code = bytes[at] as number;
    if (code < ZERO || code > NINE) return -1;
  }
  const fractionDigits = fractionFrom === 0 ? 0 : at - fractionFrom;
  const end = code === LOWER_E || code === UPPER_E ? exponentEnd(bytes, at + 1) : at;
  if (end === -1) return -1;
  const quotient =
    end === at && fractionDigits < POWERS_OF_TEN.length && tailDigits <= TAIL_DIGITS_MAX
      ? roundedQuotient(head, tail, tailDigits, fractionDigits)
      : Number.NaN;
  into.number = Number.isNaN(quotient) ? Number(textOf(bytes, from, end)) : quotient;
  return end;
}

/** Where the digits of an exponent end, or −1 where there are none. */
function exponentEnd(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === PLUS || bytes[from] === MINUS ? from + 1 : from;
  const digitsFrom = at;
  for (;;) {
    const code = bytes[at] as number;
    if (code < ZERO || code > NINE) break;
    at += 1;
  }
  return at === digitsFrom ? -1 : at;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] as number);
  return text;
}

/**
 * The double next to (head × 10^tailDigits + tail) / 10^fractionDigits, or NaN where this cannot tell which of two it is.
 * Up to 2^53 one division of exact doubles rounds right by itself. Beyond, the quotient and its remainder are computed to
 * 98 bits and more, and hold where they round to the same double whichever way they are wrong.
 */
export function roundedQuotient(
  head: number,
  tail: number,
  tailDigits: number,
  fractionDigits: number,
): number {
  // Both tables reach as far as the callers go.
  const divisor = POWERS_OF_TEN[fractionDigits] as number;
  if (tailDigits === 0) return head / divisor;
  if (tailDigits === 1 && head <= TIMES_TEN_MAX) return (head * 10 + tail) / divisor;
  const scale = POWERS_OF_TEN[tailDigits] as number;
  const product = head * scale;
  const sum = product + tail;
  // What the sum lost and what the product lost: whole numbers below 2^22, so that this is exact.
  const rest = tail - (sum - product) + productError(head, scale, product);
  if (fractionDigits === 0) return sum + rest;
  const quotient = sum / divisor;
  const back = quotient * divisor;
  const remainder = sum - back - productError(quotient, divisor, back) + rest;
  const correction = remainder / divisor;
  const doubt = quotient * DOUBT;
  const low = quotient + (correction - doubt);
  return low === quotient + (correction + doubt) ? low : Number.NaN;
}

/** What a product of doubles lost by rounding, exactly (Dekker). */
function productError(a: number, b: number, product: number): number {
  const highA = SPLITTER * a - (SPLITTER * a - a);
  const lowA = a - highA;
  const highB = SPLITTER * b - (SPLITTER * b - b);
  const lowB = b - highB;
  return lowA * lowB - (product - highA * highB - lowA * highB - highA * lowB);
}

const [SPACE, QUOTE, COMMA, SLASH, BACKSLASH] = [32, 34, 44, 47, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const [LETTER_B, LETTER_F, LETTER_N, LETTER_R, LETTER_T, LETTER_U] = [98, 102, 110, 114, 116, 117];
/** From here on a byte is a part of a character of several. */
const NOT_ASCII = 0x80;

/** By byte: 3 where an id may begin with it or go on with it, 2 where it may only go on. */
const ID_BYTES = new Uint8Array(256);
for (const character of "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._:-") {
  ID_BYTES[character.charCodeAt(0)] = /[._:-]/.test(character) ? 2 : 3;
}
const ID_LENGTH_MAX = 128;

/** A longer choice is left to the plain way, which knows how many values one may hold. */
const CHOICE_BYTES_MAX = 4096;

/** Where an id that `parseId` takes ends, or −1 where what begins here is none. A byte that no id has must end the bytes. */
export function idEnd(bytes: Uint8Array, from: number): number {
  if (ID_BYTES[bytes[from] as number] !== 3) return -1;
  let at = from + 1;
  while (ID_BYTES[bytes[at] as number] !== 0) at += 1;
  return at - from <= ID_LENGTH_MAX ? at : -1;
}

/** Where a text that begins here has its closing quote, or −1 where it holds an escape or anything but ASCII. */
export function plainEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) return at;
    if (code < SPACE || code >= NOT_ASCII || code === BACKSLASH) return -1;
  }
}

/** What a text holds, as far as it can be told from its bytes. */
export interface ScannedText {
  /** Something that is no white space. */
  isGiven: boolean;
  /** Bytes that are not ASCII: it must still be seen whether they are UTF-8. */
  isWide: boolean;
}

/** Where any text of JSON that begins here has its closing quote; −1 where it is none, or may be white space that is not ASCII. */
export function textEnd(bytes: Uint8Array, from: number, into: ScannedText): number {
  let isGiven = false;
  let isWide = false;
  let isEscaped = false;
  let at = from;
  for (; ; at += 1) {
    const code = bytes[at] as number;
    if (code === QUOTE) break;
    if (code >= NOT_ASCII) isWide = true;
    else if (code === BACKSLASH) {
      at = escapeEnd(bytes, at + 1);
      if (at === -1) return -1;
      isEscaped = true;
    } else if (code > SPACE) isGiven = true;
    else if (code < SPACE) return -1;
  }
  if (!isGiven && (isEscaped || isWide)) return -1;
  into.isGiven = isGiven;
  into.isWide = isWide;
  return at;
}

/** The last byte of what stands after a backslash, or −1 where JSON has no such escape. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case QUOTE:
    case SLASH:
    case BACKSLASH:
    case LETTER_B:
    case LETTER_F:
    case LETTER_N:
    case LETTER_R:
    case LETTER_T:
      return at;
    case LETTER_U:
      for (let digit = at + 1; digit <= at + 4; digit += 1)
        if (!isHexDigit(bytes[digit] as number)) return -1;
      return at + 4;
    default:
      return -1;
  }
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102);
}

/**
 * Where the list or object that begins here ends, or −1 where it holds another one, an escape, anything but ASCII, or more
 * than a choice does. Whether it is JSON is for the caller to see.
 */
export function flatEnd(bytes: Uint8Array, from: number): number {
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
