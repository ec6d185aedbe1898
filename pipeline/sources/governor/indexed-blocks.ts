import { z } from "zod";
import type { ChainBlock } from "./chain-block.ts";
import { hexQuantity } from "./quantity.ts";
import type { Rpc } from "./rpc.ts";

const IndexedBlock = z.object({ number: z.int().min(0), hash: z.string() });
const Note = z.object({ indexed: z.array(IndexedBlock) });

/** A block up to which an earlier fetch read everything. */
export type IndexedBlock = z.infer<typeof IndexedBlock>;

/** How many fetches are remembered: with one a day a rewind is found for this many days. */
const REMEMBERED = 10;

/** The blocks that earlier fetches read up to, newest first, as `noteOfIndexed` wrote them; none for any other text. */
export function indexedOfNote(note: string | undefined): readonly IndexedBlock[] {
  if (note === undefined) return [];
  try {
    return Note.safeParse(JSON.parse(note)).data?.indexed ?? [];
  } catch {
    // A note of an older program. Nothing hangs on it: what it would have told is found out again.
    return [];
  }
}

/** The text to remember: `head` and those of `before` that still stand. */
export function noteOfIndexed({ number, hash }: ChainBlock, before: readonly IndexedBlock[]): string {
  const older = before.filter((block) => block.number < number);
  return JSON.stringify({ indexed: [{ number, hash }, ...older].slice(0, REMEMBERED) });
}

/** Those of the blocks, newest first, that the chain still has; all after the first of them was taken back. */
export async function standingBlocks(
  rpc: Rpc,
  indexed: readonly IndexedBlock[],
): Promise<readonly IndexedBlock[]> {
  const calls = indexed.map(({ number }) => ({
    method: "eth_getBlockByNumber",
    params: [hexQuantity(number), false],
  }));
  const outcomes = await rpc.callMany(calls);
  const Hash = z.object({ hash: z.string() });
  const first = outcomes.findIndex((outcome, index) => {
    const block = outcome.kind === "result" ? Hash.safeParse(outcome.result).data : undefined;
    return block?.hash.toLowerCase() === indexed[index]?.hash;
  });
  return first === -1 ? [] : indexed.slice(first);
}
