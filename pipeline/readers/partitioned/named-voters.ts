import { invariant } from "../../facts/errors.ts";
import type { Registry } from "../../facts/tracked.ts";
import type { WarehouseView } from "../../warehouse/warehouse-reader.ts";
import type { ColumnGroup } from "../tables/encode.ts";
import { PSEUDONYM_BYTES, type Pseudonyms } from "./pseudonyms.ts";

const GROUP_ROWS = 2 ** 16;
/** The voter's pseudonym, then that of the person. */
const BYTES = 2 * PSEUDONYM_BYTES;
/** As many as one number holds; two voters alike in these stand as they were numbered. */
const RANKED_BYTES = 6;

/** Every voter of a warehouse under a pseudonym: 41 bytes each, because there may be millions. */
export interface NamedVoters {
  /** The pseudonym of a voter, who is exported from now on. */
  voterIdOf(voterNumber: number): string;
  /**
   * Where a voter stands in the order of pseudonyms. Rows must come in no other: sources list voters by address, the
   * warehouse numbers them as they come, and whoever has the addresses would only have to count.
   */
  rankOf(voterNumber: number): number;
  /** The rows of `voters`: who was asked for, by pseudonym. */
  groups(): Generator<ColumnGroup>;
}

/** Voter numbers from 1 in the order of their pseudonyms. */
function inOrder(names: Buffer, count: number): Uint32Array {
  const keys = Float64Array.from({ length: count + 1 }, (_, voterNumber) =>
    names.readUIntBE(voterNumber * BYTES, RANKED_BYTES),
  );
  const order = Uint32Array.from({ length: count }, (_, at) => at + 1);
  return order.sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0) || one - other);
}

/** Names all voters at once; a wallet of an entity has the entity's person. */
export function nameVoters(
  view: Pick<WarehouseView, "votersCount" | "eachVoter" | "entityIdOfVoter">,
  registry: Registry,
  pseudonyms: Pseudonyms,
): NamedVoters {
  const count = view.votersCount();
  const names = Buffer.alloc((count + 1) * BYTES);
  const isExported = new Uint8Array(count + 1);
  view.eachVoter((address, voterNumber) => {
    pseudonyms.digestOf(address).copy(names, voterNumber * BYTES);
  });
  for (const [voterNumber, entityId] of view.entityIdOfVoter(registry)) {
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
    voterIdOf(voterNumber) {
      invariant(voterNumber > 0 && voterNumber <= count, "a vote is of a voter that the warehouse knows");
      isExported[voterNumber] = 1;
      return voterId(voterNumber);
    },
    rankOf: (voterNumber) => ranks[voterNumber] ?? 0,
    *groups() {
      let group = { voter_id: [] as string[], person_id: [] as string[] };
      for (const voterNumber of order) {
        if (isExported[voterNumber] === 0) continue;
        group.voter_id.push(voterId(voterNumber));
        group.person_id.push(personId(voterNumber));
        if (group.voter_id.length < GROUP_ROWS) continue;
        yield { rows: group.voter_id.length, values: group };
        group = { voter_id: [], person_id: [] };
      }
      if (group.voter_id.length > 0) yield { rows: group.voter_id.length, values: group };
    },
  };
}
