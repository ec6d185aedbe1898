/**
 * How a ballot lies in its bytes; every number little-endian, whatever the machine.
 *
 * ```
 * header   24 bytes, fields below
 * voters   first number, then the step to the next one, as LEB128 (most steps fit two bytes)
 * times    timeWidth bytes each: 0 is "time 0", else timesS − base + 1
 * choices  choiceWidth bytes each: index into the list below
 * flags    one byte each, or none when all are equal
 * powers   8 bytes each (IEEE 754), or none when all are 0
 * list     the distinct choices as compact JSON, UTF-8
 * checksum CRC-32 of all before it, begun with the proposal's id
 * ```
 *
 * CRC-32, because the threat is a bad disk and not a forger: it sees every flipped byte and every burst of up to
 * 32 bits, in a fifth of a hash's time and an eighth of its bytes. Begun with the id, so that a whole ballot
 * under a wrong proposal is refused too.
 */
export const BALLOT_LAYOUT = {
  format: 1,
  headerBytes: 24,
  checksumBytes: 4,
  at: {
    format: 0,
    timeWidth: 1,
    choiceWidth: 2,
    flagWidth: 3,
    powerWidth: 4,
    /** What every flag byte is where there is no column of them. */
    sharedFlags: 5,
    /** Two bytes, always 0. */
    reserved: 6,
    count: 8,
    voterBytes: 12,
    listBytes: 16,
    timeBaseS: 20,
  },
} as const;
