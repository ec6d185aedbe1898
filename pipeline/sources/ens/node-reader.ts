import { createRpc } from "../governor/rpc.ts";
import type { HttpClient } from "../http/http-client.ts";
import { aggregateCall, decodeAggregate, sortAnswers } from "./aggregate-reads.ts";
import { type AskContracts, createHalving } from "./ask-in-halves.ts";
import type { ContractRead, ContractReader, ReadOutcome } from "./contract-reader.ts";
import { openEnsNode } from "./open-ens-node.ts";
import { readSingly } from "./single-reads.ts";
import { createTroubleCount } from "./trouble-count.ts";

/** Questions of one request, and of one JSON-RPC batch: the smallest limit of a large provider. */
const READS_AT_ONCE = 100;

/**
 * Asks through a node, many contracts in one request where Multicall3 is there. A node of another chain, and one that
 * is away, is asked no further.
 */
export function createNodeReader(node: {
  readonly http: HttpClient;
  readonly url: string;
  readonly chainId: number;
}): ContractReader {
  const rpc = createRpc(node);
  const trouble = createTroubleCount();
  const askInHalves = createHalving(rpc, trouble);
  let hasMulticall: boolean | undefined;

  async function open(): Promise<boolean> {
    try {
      const found = await openEnsNode(rpc, node.chainId);
      if (found.kind === "open") return found.hasMulticall;
      trouble.giveUp(found.reason);
    } catch (error) {
      trouble.add(error);
      trouble.giveUp("the node does not answer");
    }
    return false;
  }

  const singly: AskContracts = (reads) =>
    askInHalves(reads, async (part) => {
      const { outcomes, refusal } = await readSingly(rpc, part);
      if (refusal !== undefined) trouble.add(refusal);
      return outcomes;
    });

  const together: AskContracts = (reads) =>
    askInHalves(reads, async (part) => {
      if (part.length === 1) return singly(part);
      const { method, params } = aggregateCall(part);
      const answers = decodeAggregate(await rpc.call(method, params), part.length);
      if (answers === undefined) return singly(part);
      const { known, failed, late } = sortAnswers(part, answers);
      await learn(known, failed, singly);
      await learn(known, late, together);
      return part.map((read) => known.get(read) ?? { kind: "unknown" });
    });

  return {
    async read(reads) {
      if (reads.length === 0) return [];
      hasMulticall ??= await open();
      const ask = hasMulticall ? together : singly;
      const outcomes: ReadOutcome[] = [];
      for (let from = 0; from < reads.length; from += READS_AT_ONCE) {
        outcomes.push(...(await ask(reads.slice(from, from + READS_AT_ONCE))));
      }
      return outcomes;
    },
    isAway: trouble.isEnough,
    trouble: trouble.first,
  };
}

async function learn(
  known: Map<ContractRead, ReadOutcome>,
  reads: readonly ContractRead[],
  ask: AskContracts,
): Promise<void> {
  const outcomes = await ask(reads);
  for (const [index, read] of reads.entries()) known.set(read, outcomes[index] ?? { kind: "unknown" });
}
