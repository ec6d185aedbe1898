import { invariant } from "../../facts/errors.ts";
import type { Registry } from "../../facts/tracked.ts";
import type { WarehouseView } from "../../warehouse/warehouse-reader.ts";
import type { Row } from "../tables/columns.ts";
import { PSEUDONYM_BYTES, type Pseudonyms } from "./pseudonyms.ts";

/** The voter's pseudonym, then that of the person. */
const BYTES = 2 * PSEUDONYM_BYTES;
/** As many as one number holds; two voters alike in these stand as they were numbered. */
const RANKED_BYTES = 6;

/** Every voter of a warehouse under a pseudonym: 41 bytes each, because there may be millions. */
export type NamedVoters = ReturnType<typeof nameVoters>;

/** Names all voters at once; a wallet of an entity has the entity's person. */
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
    /** The pseudonym of a voter, who is exported from now on. */
    voterIdOf(voterNumber: number): string {
      invariant(voterNumber > 0 && voterNumber <= count, "a vote is of a voter that the warehouse knows");
      isExported[voterNumber] = 1;
      return voterId(voterNumber);
    },
    /**
     * Where a voter stands in the order of pseudonyms. Rows must come in no other: sources list voters by address, the
     * warehouse numbers them as they come, and whoever has the addresses would only have to count.
     */
    rankOf: (voterNumber: number): number => ranks[voterNumber] ?? 0,
    /** The rows of `voters`: who was asked for, by pseudonym. */
    *rows(): Generator<Row> {
      for (const voterNumber of order) {
        if (isExported[voterNumber] !== 0)
          yield [voterId(voterNumber), personId(voterNumber), entityIdOfVoter.has(voterNumber)];
      }
    },
  };
}

/** Voter numbers from 1 in the order of their pseudonyms. */
function inOrder(names: Buffer, count: number): Uint32Array {
  const keys = Float64Array.from({ length: count + 1 }, (_, voterNumber) =>
    names.readUIntBE(voterNumber * BYTES, RANKED_BYTES),
  );
  const order = Uint32Array.from({ length: count }, (_, at) => at + 1);
  return order.sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0) || one - other);
}
