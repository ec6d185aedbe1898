import { isUtf8 } from "node:buffer";
import { VOTE_FLAGS } from "../../facts/ballot.ts";
import { FIELDS, keyAt, pastSpace, usualValueFrom, valueFrom } from "./scan-keys.ts";
import { scanValue } from "./scan-value.ts";
import type { ScannedVote } from "./scanned-vote.ts";

const [LINE_FEED, COMMA, OPEN_OBJECT, CLOSE_OBJECT] = [10, 44, 123, 125];
const NEEDED = (1 << FIELDS.voter) | (1 << FIELDS.choice) | (1 << FIELDS.proposal);

/** Longer rows are few: the plain way takes them, and knows what they may hold at most. */
const ROW_BYTES_MAX = 64 * 1024;

/**
 * Reads the vote of one line straight from its bytes: an object as the hub gives it, of the keys above alone and each
 * once. Answers where the next line begins, or −1 for a line that is not wholly such: whoever reads it then must not
 * rely on `vote`. It takes only what `JSON.parse`, `HubVote` and `voteOfHub` would take, to the same facts; a list or an
 * object for a choice is the caller's to parse. `view` is of the same bytes;
 * from `to`, where there is a line feed, a hundred more can be looked at.
 */
export function scanVote(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  vote: ScannedVote,
): number {
  vote.idTo = 0;
  vote.isHexId = false;
  vote.timeS = 0;
  vote.power = 0;
  vote.flags = VOTE_FLAGS.final;
  vote.isWide = false;
  if (bytes[from] !== OPEN_OBJECT) return -1;
  let at = from;
  let seen = 0;
  let field = 0;
  for (;;) {
    // Nearly every row has the keys in the hub's order and no space: then this one is known before it is read.
    let valueAt = usualValueFrom(view, at, field);
    if (valueAt === -1) {
      at = pastSpace(bytes, at);
      if (seen !== 0 && bytes[at] !== COMMA) break;
      at = pastSpace(bytes, at + 1);
      field = keyAt(bytes, view, at);
      if (field === -1) return -1;
      valueAt = valueFrom(bytes, at, field);
      if (valueAt === -1) return -1;
    }
    if ((seen & (1 << field)) !== 0) return -1;
    seen |= 1 << field;
    at = scanValue(bytes, view, valueAt, field, vote);
    if (at === -1) return -1;
    field += 1;
  }
  if (bytes[at] !== CLOSE_OBJECT || (seen & NEEDED) !== NEEDED) return -1;
  at = pastSpace(bytes, at + 1);
  if (bytes[at] !== LINE_FEED || at >= to || at - from > ROW_BYTES_MAX) return -1;
  return !vote.isWide || isUtf8(bytes.subarray(from, at)) ? at + 1 : -1;
}
