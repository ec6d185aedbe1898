import { dayStartMs } from "../../base/days.ts";
import { PipelineError } from "../../base/pipeline-error.ts";
import type { GovernorToken } from "../../facts/delegation.ts";
import type { GovernanceSource, SpaceSink } from "../../facts/space-sink.ts";
import { createAggregateCalls } from "./aggregate-calls.ts";
import { blockAtMoment } from "./block-at-moment.ts";
import { createBlockTimes } from "./block-times.ts";
import { type ChainBlock, readBlock, readFinalizedBlock } from "./chain-block.ts";
import { filledHex } from "./contract-call.ts";
import { fetchDelegation } from "./fetch-delegation.ts";
import { fetchProposals } from "./fetch-proposals.ts";
import { type IndexedBlock, indexedOfNote, noteOfIndexed, standingBlocks } from "./indexed-blocks.ts";
import { createPowerBook } from "./power-book.ts";
import { parseQuantity } from "./quantity.ts";
import { readClock } from "./read-clock.ts";
import type { GovernorReading } from "./reading.ts";
import { reconcilePower } from "./reconcile-power.ts";
import type { Rpc } from "./rpc.ts";
import { RpcError } from "./rpc-error.ts";
import { timepointOf } from "./timepoint-of.ts";

/** What the adapter needs: a node of each chain. */
export interface GovernorSourceOptions {
  rpcOf(chainId: number): Rpc | undefined;
}

/**
 * Delegation of a token and the proposals and votes of its governor, from the logs of a chain, up to the finalized
 * block. Every fetch reads from the token's first block, and remembers the block it read up to: a chain that no longer
 * has it was reorganised deeper than it promised, which the next fetch mends by itself and reports.
 */
export function createGovernorSource({ rpcOf }: GovernorSourceOptions): GovernanceSource {
  return {
    sourceId: "governor",
    async fetchSpace({ spaceId, governor }, sink) {
      if (governor === undefined) {
        throw failed(
          `the registry names no governor for ${spaceId}`,
          "Only DAOs with one are read from a chain.",
        );
      }
      const rpc = rpcOf(governor.chainId);
      if (rpc === undefined) {
        throw failed(`no node of chain ${governor.chainId} is configured`, "Give the address of one.");
      }
      try {
        await fetchChain(rpc, governor, sink);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        throw new PipelineError("SOURCE_FAILED", error.message, { cause: error });
      }
    },
  };
}

async function fetchChain(rpc: Rpc, governor: GovernorToken, sink: SpaceSink): Promise<void> {
  const head = await openChain(rpc, governor);
  const times = createBlockTimes(rpc);
  const reading = { rpc, governor, head, times, aggregate: createAggregateCalls(rpc), sink };
  const clock = await tokenClock(reading);
  const standing = await reportRewind(reading);
  const dayEnd = await lastDayEnd(reading);
  const powers = createPowerBook(dayEnd?.number ?? -1);
  await fetchDelegation(reading, governor.firstBlock, powers);
  if (governor.governor !== undefined) await fetchProposals(reading, governor.governor);
  const points = [{ block: head, rebuilt: powers.atHead() }];
  if (dayEnd !== undefined) points.push({ block: dayEnd, rebuilt: powers.earlier() });
  for (const { block, rebuilt } of points) {
    await reconcilePower(reading, { timepoint: timepointOf(block, clock), powers: rebuilt });
  }
  if ((await readBlock(rpc, head.number)).hash !== head.hash) {
    throw failed(
      "the chain was reorganised below its finalized block",
      "Nothing of this fetch is kept. Run again.",
    );
  }
  sink.memory?.putNote(noteOfIndexed(head, standing));
}

/** The finalized head of the right chain, on which the token's contract is. */
async function openChain(rpc: Rpc, { chainId, token, firstBlock }: GovernorToken): Promise<ChainBlock> {
  const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
  if (served !== chainId) throw failed(`the node serves chain ${served}, and chain ${chainId} was asked for`);
  const head = await readFinalizedBlock(rpc);
  if (head.number < firstBlock) {
    throw failed(`the finalized block ${head.number} is before the token's first block ${firstBlock}`);
  }
  const code = filledHex(await rpc.call("eth_getCode", [token, "latest"]));
  if (code === undefined) throw failed(`there is no contract at ${token} on chain ${chainId}`);
  return head;
}

async function tokenClock({ rpc, governor, sink }: GovernorReading) {
  const { token, chainId, clock } = governor;
  const own = await readClock(rpc, token, chainId);
  if (own !== clock) {
    sink.reject({
      file: `eth_call ${chainId} ${token}`,
      line: undefined,
      code: "CLOCK_DIFFERS",
      message: `the registry says ${clock}, and the contract's own clock is ${own}; the contract is believed`,
    });
  }
  return own;
}

/** The blocks of earlier fetches that the chain still has. */
async function reportRewind({ rpc, governor, sink }: GovernorReading): Promise<readonly IndexedBlock[]> {
  const indexed = indexedOfNote(sink.memory?.note());
  const standing = await standingBlocks(rpc, indexed);
  if (standing.length < indexed.length) {
    const from = standing[0] === undefined ? "the first one" : `block ${standing[0].number}`;
    sink.reject({
      file: `eth_getBlockByNumber ${governor.chainId}`,
      line: undefined,
      code: "CHAIN_REWOUND",
      message: `the chain took back finalized blocks after ${from} that had been read; all is read anew`,
    });
  }
  return standing;
}

/** The last block of the last day that has ended by the head: what the newest whole day of a listing is made of. */
async function lastDayEnd({ rpc, governor, head }: GovernorReading): Promise<ChainBlock | undefined> {
  return blockAtMoment(rpc, dayStartMs(head.timeMs) - 1, { firstBlock: governor.firstBlock, head });
}

function failed(message: string, hint?: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", message, hint === undefined ? undefined : { hint });
}
