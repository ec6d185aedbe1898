import * as Address from "ox/Address";
import { sourceFailed } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { isRowFailure, parseShape } from "../upstream/row-error.ts";
import { ApiSpace, PROTOCOLS } from "./api-rows.ts";
import { API_LIMITS, type ApiAtBlock, SPACES_QUERY } from "./open-api.ts";

/**
 * Returns a block up to which the service's facts are settled. Throws `SOURCE_FAILED` if it has no such indexer, or if it
 * indexes anew what was read before up to block `readTo`.
 */
export async function settledBlock(api: ApiAtBlock, readTo: number | undefined): Promise<number> {
  const { indexer } = api;
  const blocks = await api.lastBlocks();
  const last = blocks.get(indexer);
  if (last === undefined) {
    const known = [...blocks.keys()].map((one) => upstreamText(one) ?? "").sort();
    throw sourceFailed(`the on-chain API has no indexer ${indexer}`, {
      hint: `Correct \`onchain\` in the registry. It has: ${known.join(", ")}.`,
      data: { isMissing: true },
    });
  }
  const block = Math.max(0, last - API_LIMITS.unsettledBlocks);
  if (readTo !== undefined && block < readTo - API_LIMITS.rewindMax) {
    throw sourceFailed(
      `the on-chain API has indexed ${indexer} up to block ${last}, but was read up to block ${readTo} before`,
      { hint: "It indexes the chain anew. Data fetched earlier is kept; run again when it has caught up." },
    );
  }
  return block;
}

/** An address as the service spells it. */
export const spelled = (address: string): string =>
  Address.validate(address) ? Address.checksum(address) : address;

/** Reads a space. Throws `SOURCE_FAILED` if there is none at this address, or if its protocol is not one of ours. */
export async function readSpace(api: ApiAtBlock, id: string, block: number): Promise<ApiSpace> {
  const { indexer } = api;
  const [row] = await api.readRows(SPACES_QUERY, { id }, { block, skip: 0, most: 1 });
  if (row === undefined) {
    throw sourceFailed(`the on-chain API has no space ${id} of the indexer ${indexer}`, {
      hint: "Check the address and the indexer of `onchain` in the registry.",
      data: { isMissing: true },
    });
  }
  try {
    const space = parseShape(ApiSpace, row);
    if (space.id !== id || space._indexer !== indexer)
      throw sourceFailed("the on-chain API returned another space");
    if (!PROTOCOLS.some((known) => known === space.protocol)) {
      const protocol = upstreamText(space.protocol) ?? "unknown";
      throw sourceFailed(`the space ${id} of the indexer ${indexer} is of the protocol ${protocol}`, {
        hint: `Only spaces of ${PROTOCOLS.join(", ")} can be read.`,
        data: { isMissing: true },
      });
    }
    return space;
  } catch (error) {
    if (!isRowFailure(error)) throw error;
    throw sourceFailed(`the on-chain API's space ${id} is invalid: ${error.message}`);
  }
}
