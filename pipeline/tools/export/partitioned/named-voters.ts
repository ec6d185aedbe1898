import type { Row } from "../../../documents/columns.ts";
import { invariant } from "../../../facts/errors.ts";
import type { Registry } from "../../../facts/tracked.ts";
import type { WarehouseView } from "../../../warehouse/warehouse-reader.ts";
import { PSEUDONYM_BYTES, type Pseudonyms } from "./pseudonyms.ts";

/** The voter's pseudonym, then that of the person. */
const BYTES = 2 * PSEUDONYM_BYTES;
/** The most bytes that fit into a number; voters with equal prefixes are ordered by number. */
const RANKED_BYTES = 6;

/** The pseudonyms of all voters of a warehouse, at 41 bytes each, because there may be millions. */
export type NamedVoters = ReturnType<typeof nameVoters>;

/** Computes the pseudonyms of all voters; wallets of an entity share the entity's person id. */
export function nameVoters(
  view: Pick<WarehouseView, "votersCount" | "eachVoter" | "entityIdOfVoter">,
  registry: Registry,
  pseudonyms: Pseudonyms,
) {
  const count = view.votersCount();
  const names = Buffer.alloc((count + 1) * BYTES);
  const isExported = new Uint8Array(count + 1);
  view.eachVoter((address, voterNumber) => {
    pseudonyms.digestOf(address).copy(names, voterNumber * BYTES);
  });
  const entityIdOfVoter = view.entityIdOfVoter(registry);
  for (const [voterNumber, entityId] of entityIdOfVoter) {
    pseudonyms.entityBytes(entityId).copy(names, voterNumber * BYTES + PSEUDONYM_BYTES);
  }
  const order = inOrder(names, count);
  const ranks = new Uint32Array(count + 1);
  for (const [rank, voterNumber] of order.entries()) ranks[voterNumber] = rank;
  const voterId = (voterNumber: number): string =>
    names.toString("hex", voterNumber * BYTES, voterNumber * BYTES + PSEUDONYM_BYTES);
  const personId = (voterNumber: number): string =>
    names.toString("hex", voterNumber * BYTES + PSEUDONYM_BYTES, (voterNumber + 1) * BYTES);
  return {
    /** The pseudonym of a voter, who is then part of the export. */
    voterIdOf(voterNumber: number): string {
      invariant(voterNumber > 0 && voterNumber <= count, "the voter of a vote is in the warehouse");
      isExported[voterNumber] = 1;
      return voterId(voterNumber);
    },
    /**
     * Position of a voter in the order of pseudonyms. Rows must have this order only: sources list voters by address, and
     * the warehouse numbers them in that order, so any other order would reveal voters to anybody who has the addresses.
     */
    rankOf: (voterNumber: number): number => ranks[voterNumber] ?? 0,
    /** The rows of `voters`: all voters passed to `voterIdOf`, by pseudonym. */
    *rows(): Generator<Row> {
      for (const voterNumber of order) {
        if (isExported[voterNumber] !== 0)
          yield [voterId(voterNumber), personId(voterNumber), entityIdOfVoter.has(voterNumber)];
      }
    },
  };
}

/** Voter numbers from 1, in the order of their pseudonyms. */
function inOrder(names: Buffer, count: number): Uint32Array {
  const keys = Float64Array.from({ length: count + 1 }, (_, voterNumber) =>
    names.readUIntBE(voterNumber * BYTES, RANKED_BYTES),
  );
  const order = Uint32Array.from({ length: count }, (_, index) => index + 1);
  return order.sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0) || one - other);
}
