import { z } from "zod";
import { invariant } from "../facts/errors.ts";
import type { Choice, ProposalVotes } from "../facts/proposal-votes.ts";
import { columnAt, openSealed, parseColumn, sealColumns } from "./byte-columns.ts";
import { corrupt, type Database } from "./database.ts";

/**
 * The layout of a packed ballot: its columns as they are in memory, so that nothing is computed per vote.
 *
 * ```
 * header   format, count, bytes of the list, 0: 4 bytes each
 * powers   8 bytes each (IEEE 754)
 * voters   4 bytes each
 * times    4 bytes each
 * choices  index into the list below: 2 bytes each, or 4 if the list is longer
 * flags    1 byte each
 * list     the distinct choices as short JSON, UTF-8
 * checksum of all before it, under the proposal's id
 * ```
 */
const FORMAT = 2;
const HEADER_BYTES = 16;
/** The longest list whose indexes fit two bytes. */
const SHORT_LIST_MAX = 2 ** 16;

/** Stores a ballot as one row, over an earlier one of the same proposal. The proposal must have been put before. */
export function putVotes(
  database: Database,
  daoNumber: number,
  { proposalId, count, packed }: PackedVotes,
  isFinal: boolean,
): void {
  const replace = `INSERT OR REPLACE INTO ballots (proposal_number, votes_count, packed, is_final)
     SELECT proposal_number, ?, ?, ? FROM proposals WHERE dao_number = ? AND proposal_id = ?`;
  const changes = database.run(replace, count, packed, Number(isFinal), daoNumber, proposalId);
  invariant(changes === 1, `ballot of proposal ${proposalId} was put before its proposal`);
}

/** Yields a DAO's ballots, by (end, id); throws WAREHOUSE_CORRUPT, naming the proposal, at the first damaged one. */
export function* readVotes(database: Database, spaceId: string): Generator<ProposalVotes> {
  const select = `SELECT proposal_id, ballots.votes_count AS count, packed
     FROM daos JOIN proposals USING (dao_number) JOIN ballots USING (proposal_number)
     WHERE space_id = ?
     ORDER BY end_at_ms NULLS FIRST, proposal_id`;
  const rows = database.iterate<{ proposalId: string; count: number; packed: Buffer }>(select, spaceId);
  for (const { proposalId, count, packed } of rows) {
    yield unpackVotes(proposalId, count, packed);
  }
}

/** A ballot packed for its row; other threads than the writing one can prepare it. */
export interface PackedVotes {
  readonly proposalId: string;
  readonly count: number;
  /** The result of `packVotes`, in its own buffer, which may be transferred between threads. */
  readonly packed: Uint8Array;
  /** The largest voter number; 0 without votes. */
  readonly highestVoter: number;
}

/** Packs a ballot for `putVotes`; throws on voter number 0, which nobody has. */
export function packedVotesOf(ballot: ProposalVotes): PackedVotes {
  const { proposalId, count, voterIds } = ballot;
  invariant(voterIds[0] !== 0, `ballot of proposal ${proposalId}: a voter was never interned`);
  return { proposalId, count, packed: packVotes(ballot), highestVoter: voterIds.at(-1) ?? 0 };
}

/** Packs a ballot into its own buffer; equal ballots give equal bytes. */
function packVotes(ballot: ProposalVotes): Buffer {
  const { proposalId, count, powers, voterIds, timesS, choiceIndexes, flags, choices } = ballot;
  const list = Buffer.from(JSON.stringify(choices.map(shortChoice)), "utf8");
  const header = Uint32Array.of(FORMAT, count, list.length, 0);
  const indexes = choices.length > SHORT_LIST_MAX ? choiceIndexes : Uint16Array.from(choiceIndexes);
  return sealColumns(proposalId, [header, powers, voterIds, timesS, indexes, flags, list]);
}

/** The inverse of `packVotes`; throws WAREHOUSE_CORRUPT, naming the proposal, if the bytes are damaged. */
function unpackVotes(proposalId: string, count: number, packed: Uint8Array): ProposalVotes {
  const fail = (what: string) => corrupt(`ballot of proposal ${proposalId}: ${what}`);
  const bytes = openSealed(proposalId, packed, HEADER_BYTES, fail);
  const end = bytes.length;
  const [format, storedCount, listBytes] = columnAt(Uint32Array, bytes, 0, 3) as unknown as [
    number,
    number,
    number,
  ];
  if (format !== FORMAT) throw fail(`format ${format} is not known`);
  if (storedCount !== count) throw fail("its count differs from its row");
  if (listBytes > end - HEADER_BYTES) throw fail("its length does not match its columns");
  const choices = parseColumn(CHOICES, bytes.toString("utf8", end - listBytes, end));
  if (choices === undefined) throw fail("its choices cannot be read");

  const Indexes = choices.length > SHORT_LIST_MAX ? Uint32Array : Uint16Array;
  const votersAt = HEADER_BYTES + 8 * count;
  const timesAt = votersAt + 4 * count;
  const choicesAt = timesAt + 4 * count;
  const flagsAt = choicesAt + Indexes.BYTES_PER_ELEMENT * count;
  if (flagsAt + count + listBytes !== end) throw fail("its length does not match its columns");
  const choiceIndexes = Uint32Array.from(
    columnAt<Uint32Array | Uint16Array>(Indexes, bytes, choicesAt, count),
  );
  if (!areIndexesOf(choices, choiceIndexes)) throw fail("a choice index points past its choices");
  return {
    proposalId,
    count,
    voterIds: columnAt(Uint32Array, bytes, votersAt, count),
    powers: columnAt(Float64Array, bytes, HEADER_BYTES, count),
    timesS: columnAt(Uint32Array, bytes, timesAt, count),
    choiceIndexes,
    flags: columnAt(Uint8Array, bytes, flagsAt, count),
    choices,
  };
}

/** A choice as short JSON: 2 · [1,3] · {"w":[[1,0.5],[2,0.5]]} · null if unreadable. */
function shortChoice(choice: Choice) {
  switch (choice.kind) {
    case "single":
      return choice.option;
    case "list":
      return choice.options;
    case "weights":
      return { w: choice.weights };
    case "unreadable":
      return null;
  }
}

const CHOICES = z.array(
  z.union([
    z.number().transform((option) => ({ kind: "single" as const, option })),
    z.array(z.number()).transform((options) => ({ kind: "list" as const, options })),
    z
      .object({ w: z.array(z.tuple([z.number(), z.number()])) })
      .transform(({ w: weights }) => ({ kind: "weights" as const, weights })),
    z.null().transform(() => ({ kind: "unreadable" as const })),
  ]),
);

/** Whether every index is one of the list; a plain loop, because it runs for every vote. */
function areIndexesOf(choices: readonly Choice[], indexes: Uint32Array): boolean {
  const { length } = choices;
  const count = indexes.length;
  for (let index = 0; index < count; index += 1) if ((indexes[index] as number) >= length) return false;
  return true;
}
