const [SPACE, TAB, CARRIAGE_RETURN, QUOTE, COLON] = [32, 9, 13, 34, 58];
const [LETTER_C, LETTER_I, LETTER_O, LETTER_R, LETTER_V] = [99, 105, 111, 114, 118];

/** The codes of an ASCII text. */
export function codesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The keys that are known, by number. */
export const FIELDS = {
  id: 0,
  voter: 1,
  created: 2,
  choice: 3,
  vp: 4,
  vpState: 5,
  reason: 6,
  proposal: 7,
} as const;
const KEYS = ["id", "voter", "created", "choice", "vp", "vp_state", "reason", "proposal"].map((key) =>
  codesOf(`"${key}"`),
);

/** The number of the key that stands here, told by one or two of its letters; −1 where none of ours does. */
export function keyAt(bytes: Uint8Array, at: number): number {
  let field: number = FIELDS.proposal;
  switch (bytes[at + 1]) {
    case LETTER_I:
      field = FIELDS.id;
      break;
    case LETTER_V:
      field =
        bytes[at + 2] === LETTER_O ? FIELDS.voter : bytes[at + 3] === QUOTE ? FIELDS.vp : FIELDS.vpState;
      break;
    case LETTER_C:
      field = bytes[at + 2] === LETTER_R ? FIELDS.created : FIELDS.choice;
      break;
    case LETTER_R:
      field = FIELDS.reason;
      break;
    default:
  }
  return isAt(KEYS[field] as Uint8Array, bytes, at) ? field : -1;
}

/** Where the value of a key begins, or −1 where no colon parts them. */
export function valueFrom(bytes: Uint8Array, keyFrom: number, field: number): number {
  const at = pastSpace(bytes, keyFrom + (KEYS[field] as Uint8Array).length);
  return bytes[at] === COLON ? pastSpace(bytes, at + 1) : -1;
}

/** Past JSON's space, of which a line feed, that ends every line, is none here. */
export function pastSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] as number) <= SPACE && isSpace(bytes[at] as number)) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === CARRIAGE_RETURN;
}

/** Whether these codes stand here. */
export function isAt(word: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let place = 0; place < word.length; place += 1) if (bytes[at + place] !== word[place]) return false;
  return true;
}
