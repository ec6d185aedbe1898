import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import type { DelegationMemory, IndexedBlock } from "../../../pipeline/facts/governance-source.ts";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, TOKEN } from "./sample-facts.ts";

/** The block of a number on the chain that all tests share; another `fork` is a block that replaced it. */
export const block = (number: number, fork = "a"): IndexedBlock => ({ number, hash: `0x${fork}${number}` });

/** What a delegate's power became in the log at (block, logIndex). */
export function power(
  blockNumber: number,
  logIndex: number,
  delegate: number,
  after: bigint,
): DelegationEvent {
  return {
    blockNumber,
    logIndex,
    blockTimeMs: blockNumber * 1_000,
    kind: "votes-changed",
    delegate: address(delegate),
    before: 0n,
    after,
  };
}

/** What is held of a token, and the way to keep more. */
export interface TokenMemory extends DelegationMemory {
  keep(events: readonly DelegationEvent[], through: IndexedBlock): void;
}

/** Begins a governor's fetch, whose memory of `TOKEN` is at hand. */
export function beginGovernor(
  warehouse: Warehouse,
  given: { readonly spaceId?: string; readonly token?: string; readonly fetchedAtMs?: number } = {},
): OpenSpaceFetch & { readonly tokenMemory: TokenMemory } {
  const { spaceId = "a.eth", token = TOKEN, fetchedAtMs = 1_000 } = given;
  const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: "governor", fetchedAtMs });
  if (fetch.memory === undefined) throw new Error("a fetch of a governor has a memory");
  const keep: TokenMemory["keep"] = (events, through) =>
    fetch.put({ kind: "delegation-events", token, events, through });
  return { ...fetch, tokenMemory: { ...fetch.memory.delegationOf(token), keep } };
}
