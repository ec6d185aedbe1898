import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import { z } from "zod";
import type { DelegationMemory } from "../../facts/governance-source.ts";
import { DELEGATION_TOPICS, delegationEventOfLog } from "../upstream/delegation-event.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { reject } from "../upstream/row-error.ts";
import { newestStanding } from "./blocks.ts";
import { type ContractAnswer, decodeAnswer } from "./contract-calls.ts";
import { timedLog } from "./node-log.ts";
import { readLogSteps } from "./read-logs.ts";
import { createLogTally, type GovernorNote, type GovernorReading } from "./reading.ts";
import { GOVERNOR_LIMITS } from "./rpc.ts";

/**
 * Takes the delegation logs of the token that are not held yet, up to the reading's head, each with the exact time of
 * its block, and keeps them step by step. Answers how many came.
 */
export async function fetchDelegation(reading: GovernorReading, held: DelegationMemory): Promise<number> {
  const { governor, times, sink, isLater } = reading;
  const { token, chainId, firstBlock } = governor;
  const borne = isLater ? GOVERNOR_LIMITS.malformedBorne : 0;
  const tally = createLogTally(`eth_getLogs ${chainId} ${token}`, sink, borne);
  const newest = held.heldThrough()[0];
  let count = 0;
  const cuts = await readLogSteps(reading, {
    address: token,
    topics: Object.values(DELEGATION_TOPICS),
    fromBlock: newest === undefined ? firstBlock : newest.number + 1,
    logsPerStep: GOVERNOR_LIMITS.eventsPerStep,
    async keep(logs, through) {
      // Newer nodes tell the time of a log's block in the log itself.
      const timesMs = await times.ofLogs(logs.filter(({ log }) => log.blockTimestamp == null));
      const events = logs.flatMap(
        (node) => tally.log(() => delegationEventOfLog(timedLog(node, timesMs), token)) ?? [],
      );
      // What is kept is never judged again.
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
  const message = `the chain took back finalized blocks after ${from} that had been read; they are read anew`;
  reject(sink, { file: `eth_getBlockByNumber ${chainId}` }, "CHAIN_REWOUND", message);
  return held;
}

const PAST_VOTES = [
  AbiFunction.from("function getPastVotes(address, uint256) view returns (uint256)"),
  AbiFunction.from("function getPriorVotes(address, uint256) view returns (uint256)"),
] as const;

/**
 * Compares rebuilt power at the end of a block, in the contract's own clock, with the contract's own on a sample of accounts: the strongest, and others evenly spread.
 * A difference is counted and reported without a wallet; it fails nothing, for the sample says that, not which events.
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
    const answers = await aggregate(calls, "latest");
    const votes = answers.map((answer: ContractAnswer) => decodeAnswer(item, answer));
    if (votes.every((vote) => vote === undefined)) continue;
    const different = accounts.filter((account, index) => votes[index] !== powers.get(account)).length;
    if (different === 0) return;
    const message = `${different} of ${accounts.length} delegates have another power in the contract than in its logs`;
    reject(sink, { file }, "POWER_NOT_RECONCILED", message);
    return;
  }
  const message = "the contract answers neither getPastVotes nor getPriorVotes for this block";
  reject(sink, { file }, "POWER_NOT_CHECKED", message);
}

/** The same accounts for the same powers: half by power, half by address at even distances. */
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
