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
