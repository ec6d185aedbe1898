import { invariant } from "../base/invariant.ts";
import type { Ballot } from "../facts/ballot.ts";
import { BALLOT_LAYOUT } from "./ballot-layout.ts";
import { checksumOf } from "./checksum.ts";
import { packBallot } from "./pack-ballot.ts";

/** A ballot as its row will hold it, so that another thread than the one that writes can pack it. */
export interface PackedBallot {
  readonly proposalId: string;
  readonly count: number;
  /** What `packBallot` made; in a buffer of its own, which may be handed from thread to thread. */
  readonly packed: Uint8Array;
  /** The largest number among its voters; 0 where nobody voted. */
  readonly highestVoter: number;
}

/** Packs a ballot for `putPackedBallot`; throws on a ballot that is none. */
export function packedBallotOf(ballot: Ballot): PackedBallot {
  const { proposalId, count, voterIds } = ballot;
  invariant(voterIds[0] !== 0, `ballot of proposal ${proposalId}: a voter was never interned`);
  return { proposalId, count, packed: packBallot(ballot), highestVoter: voterIds.at(-1) ?? 0 };
}

/** Stops on bytes that are not the packed ballot they are said to be, as far as that shows without unpacking them. */
export function checkPackedBallot({ proposalId, count, packed }: PackedBallot): void {
  const { at, headerBytes, checksumBytes, format } = BALLOT_LAYOUT;
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const end = bytes.length - checksumBytes;
  const isOurs =
    end >= headerBytes &&
    bytes[at.format] === format &&
    bytes.readUInt32LE(at.count) === count &&
    bytes.readUInt32LE(end) === checksumOf(proposalId, bytes.subarray(0, end));
  invariant(isOurs, `ballot of proposal ${proposalId}: its packed bytes are not those of ${count} votes`);
}
