import { z } from "zod";
import type { DelegationMemory } from "../../facts/space-sink.ts";
import type { GovernorNote } from "./governor-note.ts";
import type { GovernorReading } from "./reading.ts";
import { newestStanding } from "./standing-block.ts";
import { parseStored } from "./stored-json.ts";

const SERIES = "delegation";
const Begun = z.object({ token: z.string(), firstBlock: z.number(), isFull: z.boolean() });
type Begun = z.infer<typeof Begun>;

/**
 * The events of the token that earlier fetches read and that may stay: from the registry's first block on, and below
 * the newest block that the chain still has. The others are dropped, and a chain that went back on its word is reported.
 */
export async function openDelegation(
  reading: GovernorReading,
  note: GovernorNote | undefined,
): Promise<DelegationMemory> {
  const { rpc, governor, head, sink, memory, isFull } = reading;
  const { token, chainId, firstBlock } = governor;
  const held = memory.delegationOf(token);
  // A reading that is under way says what it began with; a whole one says so in the note.
  const begun = parseStored(Begun, memory.resumedPage(SERIES, 0)) ?? (note && { ...note, isFull: false });
  const isTrusted = begun?.token === token && begun.firstBlock <= firstBlock && (!isFull || begun.isFull);
  if (!isTrusted) {
    held.rewind(undefined);
    memory.forgetPages(SERIES);
    const payload = JSON.stringify({ token, firstBlock, isFull } satisfies Begun);
    memory.checkpoint({ series: SERIES, page: 0, payload, voters: [] });
  }
  const before = held.heldThrough();
  const standing = await newestStanding(rpc, head, before);
  if (standing?.number === before[0]?.number) return held;
  held.rewind(standing);
  const from = standing === undefined ? "the first one" : `block ${standing.number}`;
  sink.reject({
    file: `eth_getBlockByNumber ${chainId}`,
    line: undefined,
    code: "CHAIN_REWOUND",
    message: `the chain took back finalized blocks after ${from} that had been read; they are read anew`,
  });
  return held;
}
