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
