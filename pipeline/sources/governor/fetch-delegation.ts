import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import { z } from "zod";
import type { DelegationMemory } from "../../facts/governance-source.ts";
import { DELEGATION_TOPICS, delegationEventOfLog } from "../upstream/delegation-event.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { reject } from "../upstream/row-error.ts";
import { newestOnChain } from "./blocks.ts";
import { decodeAnswer } from "./contract-calls.ts";
import { readLogSteps, withTimes } from "./read-logs.ts";
import { createLogTally, type GovernorNote, type GovernorReading } from "./reading.ts";
import { GOVERNOR_LIMITS } from "./rpc.ts";

/**
 * Reads the token's delegation logs that are not held yet, up to the head, with the exact time of each block,
 * and stores them step by step. Returns the number of new events.
 */
export async function fetchDelegation(reading: GovernorReading, held: DelegationMemory): Promise<number> {
  const { rpc, governor, sink, isLater } = reading;
  const { token, chainId, firstBlock } = governor;
  const tolerated = isLater ? GOVERNOR_LIMITS.malformedTolerated : 0;
  const tally = createLogTally(`eth_getLogs ${chainId} ${token}`, sink, tolerated);
  const newest = held.heldThrough()[0];
  let count = 0;
  const cuts = await readLogSteps(reading, {
    address: token,
    topics: Object.values(DELEGATION_TOPICS),
    fromBlock: newest === undefined ? firstBlock : newest.number + 1,
    logsPerStep: GOVERNOR_LIMITS.eventsPerStep,
    async keep(logs, through) {
      const timed = await withTimes(rpc, logs);
      const events = timed.flatMap(({ log }) => tally.log(() => delegationEventOfLog(log, token)) ?? []);
      // Stored events are not judged again later.
      tally.judge();
      sink.put({ kind: "delegation-events", token, events, through });
      count += events.length;
    },
  });
  tally.cuts(cuts);
  return count;
}

const SERIES = "delegation";
const Begun = z.object({ token: z.string(), firstBlock: z.number(), isFull: z.boolean() });
type Begun = z.infer<typeof Begun>;

/**
 * Keeps the events of earlier fetches that are still valid: those from the registry's first block up to the
 * newest block that is still part of the chain. Drops the others, and reports if finalized blocks were
 * reverted.
 */
export async function openDelegation(
  reading: GovernorReading,
  note: GovernorNote | undefined,
): Promise<DelegationMemory> {
  const { rpc, governor, head, sink, memory, isFull } = reading;
  const { token, chainId, firstBlock } = governor;
  const held = memory.delegationOf(token);
  // An unfinished fetch stores what it began with as page 0; a finished one stores it in the note.
  const begun = parseStored(Begun, memory.resumedPage(SERIES, 0)) ?? (note && { ...note, isFull: false });
  const isTrusted = begun?.token === token && begun.firstBlock <= firstBlock && (!isFull || begun.isFull);
  if (!isTrusted) {
    held.rewind(undefined);
    memory.forgetPages(SERIES);
    const payload = JSON.stringify({ token, firstBlock, isFull } satisfies Begun);
    memory.checkpoint({ series: SERIES, page: 0, payload, voters: [] });
  }
  const before = held.heldThrough();
  const kept = await newestOnChain(rpc, head, before);
  if (kept?.number === before[0]?.number) return held;
  held.rewind(kept);
  const from = kept === undefined ? "the first one" : `block ${kept.number}`;
  const message = `the chain reverted finalized blocks after ${from} that had been read; they are read again`;
  reject(sink, { file: `eth_getBlockByNumber ${chainId}` }, "CHAIN_REWOUND", message);
  return held;
}

const PAST_VOTES = [
  AbiFunction.from("function getPastVotes(address, uint256) view returns (uint256)"),
  AbiFunction.from("function getPriorVotes(address, uint256) view returns (uint256)"),
] as const;

/**
 * Compares the rebuilt power at the end of a block, in the contract's clock, with the contract's own for a
 * sample of accounts: the strongest, and others evenly spread. Reports the number of differences without a
 * wallet and does not fail, as the sample does not show which events are wrong.
 */
export async function reconcilePower(
  reading: GovernorReading,
  timepoint: bigint,
  powers: ReadonlyMap<string, bigint>,
): Promise<void> {
  const { governor, aggregate, sink } = reading;
  const accounts = sampleOf(powers);
  if (accounts.length === 0) return;
  const file = `eth_call ${governor.chainId} ${governor.token}`;
  for (const item of PAST_VOTES) {
    const calls = accounts.map((account) => ({
      to: governor.token,
      data: AbiFunction.encodeData(item, [account, timepoint]),
    }));
    const answers = await aggregate(calls);
    const votes = answers.map((answer) => decodeAnswer(item, answer));
    if (votes.every((vote) => vote === undefined)) continue;
    const different = accounts.filter((account, index) => votes[index] !== powers.get(account)).length;
    if (different === 0) return;
    const message = `${different} of ${accounts.length} delegates have a different power in the contract than in its logs`;
    reject(sink, { file }, "POWER_NOT_RECONCILED", message);
    return;
  }
  const message = "the contract supports neither getPastVotes nor getPriorVotes for this block";
  reject(sink, { file }, "POWER_NOT_CHECKED", message);
}

/** A deterministic sample: half by power, half spread evenly by address. */
function sampleOf(powers: ReadonlyMap<string, bigint>): Hex[] {
  const half = Math.ceil(GOVERNOR_LIMITS.reconciledAccounts / 2);
  const byPower = [...powers].sort(([a, one], [b, two]) =>
    one === two ? (a < b ? -1 : 1) : one < two ? 1 : -1,
  );
  const strongest = byPower.slice(0, half);
  const others = byPower
    .slice(half)
    .map(([account]) => account)
    .sort();
  const stride = Math.max(1, Math.ceil(others.length / half));
  const spread = others.filter((_, index) => index % stride === 0);
  return [...strongest.map(([account]) => account), ...spread].map((account): Hex => `0x${account.slice(2)}`);
}
