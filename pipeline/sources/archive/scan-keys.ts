const [SPACE, TAB, CARRIAGE_RETURN, COMMA, COLON, OPEN_OBJECT] = [32, 9, 13, 44, 58, 123];

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
/** The first four characters of each, which no two have in common, as they stand in 32 bits of memory. */
const STARTS = KEYS.map((key) => new DataView(key.buffer).getInt32(0, true));
const [ID, VOTER, CREATED, CHOICE, VP, VP_STATE, REASON, PROPOSAL] = STARTS;

/** Each key as it usually stands, with what is before it and its colon. */
const USUAL = KEYS.map((key, field) =>
  Uint8Array.of(field === FIELDS.id ? OPEN_OBJECT : COMMA, ...key, COLON),
);
const USUAL_LENGTHS = Uint8Array.from(USUAL, (usual) => usual.length);
/** The first, the middle and the last four bytes of these, which are all of them: none is longer than twelve. */
const USUAL_WORDS = Int32Array.from(
  USUAL.flatMap((usual) => {
    const view = new DataView(usual.buffer);
    return [0, Math.min(4, usual.length - 4), usual.length - 4].map((at) => view.getInt32(at, true));
  }),
);

/** Where the value of this very key begins, if it follows on what was read as it usually does; otherwise −1. */
export function usualValueFrom(view: DataView, at: number, field: number): number {
  if (field >= USUAL_LENGTHS.length) return -1;
  const length = USUAL_LENGTHS[field] as number;
  const words = 3 * field;
  if (
    view.getInt32(at, true) !== USUAL_WORDS[words] ||
    view.getInt32(at + Math.min(4, length - 4), true) !== USUAL_WORDS[words + 1] ||
    view.getInt32(at + length - 4, true) !== USUAL_WORDS[words + 2]
  )
    return -1;
  const valueAt = at + length;
  return view.getUint8(valueAt) > SPACE ? valueAt : -1;
}

/** The number of the key that stands here, or −1 where none of ours does. */
export function keyAt(bytes: Uint8Array, view: DataView, at: number): number {
  const field = fieldOf(view.getInt32(at, true));
  if (field === -1) return -1;
  const key = KEYS[field] as Uint8Array;
  for (let place = 4; place < key.length; place += 1) if (bytes[at + place] !== key[place]) return -1;
  return field;
}

function fieldOf(start: number): number {
  switch (start) {
    case ID:
      return FIELDS.id;
    case VOTER:
      return FIELDS.voter;
    case CREATED:
      return FIELDS.created;
    case CHOICE:
      return FIELDS.choice;
    case VP:
      return FIELDS.vp;
    case VP_STATE:
      return FIELDS.vpState;
    case REASON:
      return FIELDS.reason;
    case PROPOSAL:
      return FIELDS.proposal;
    default:
      return -1;
  }
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

/** Whether the bytes of one view from a place on are all those of another; four at once, as both are sixty and more. */
export function isSame(view: DataView, from: number, other: DataView): boolean {
  const length = other.byteLength;
  let place = 0;
  for (; place + 4 <= length; place += 4) {
    if (view.getInt32(from + place, true) !== other.getInt32(place, true)) return false;
  }
  for (; place < length; place += 1) if (view.getInt8(from + place) !== other.getInt8(place)) return false;
  return true;
}
