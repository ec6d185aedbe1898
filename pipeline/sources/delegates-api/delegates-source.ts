import * as Address from "ox/Address";
import { z } from "zod";
import type { ListedDelegate } from "../../facts/dao-facts.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { GovernanceSource, SpaceSink } from "../../facts/governance-source.ts";
import type { GovernorToken } from "../../facts/tracked.ts";
import { type ApiAccess, listOf, openApi } from "../snapshot-api/open-api.ts";
import { parseEvmAddress } from "../upstream/parse-values.ts";
import { createRowTally, judgeRows, parseShape, reject, rowFailure } from "../upstream/row-error.ts";

/**
 * Rows of a page. The service keeps the states of only a hundred blocks, which last 25 seconds on Arbitrum: few large
 * pages are read in that time.
 */
const PAGE_SIZE = 10_000;
const DELEGATES_MAX = 2_000_000;

const INDEXERS: Readonly<Record<number, string>> = {
  1: "eth",
  10: "oeth",
  56: "bnb",
  137: "matic",
  8453: "base",
  42161: "arb1",
};

const TOTALS_QUERY = listOf("Governance", "id currentDelegates delegatedVotesRaw");
const DELEGATES_QUERY = listOf("Delegate", "user delegatedVotesRaw tokenHoldersRepresentedAmount");

/** In the token's smallest unit. The service's other amounts assume 18 decimals. */
const Amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const Totals = z.object({
  _indexer: z.string(),
  id: z.string(),
  currentDelegates: z.int(),
  delegatedVotesRaw: Amount,
});
const Row = z.object({
  _indexer: z.string(),
  user: z.string(),
  delegatedVotesRaw: Amount,
  tokenHoldersRepresentedAmount: z.int().min(0),
});

/** Returns what the service counts of a token now; `undefined` if it does not have it. Throws `SOURCE_FAILED`. */
export async function readDelegateTotals(
  access: ApiAccess,
  { chainId, token }: Pick<GovernorToken, "chainId" | "token">,
) {
  const indexer = INDEXERS[chainId];
  if (indexer === undefined) return undefined;
  const service = { name: "the delegates service", variable: "GOVDATA_DELEGATES" };
  const api = openApi(access, indexer, PAGE_SIZE, service);
  const block = (await api.lastBlocks()).get(indexer);
  if (block === undefined) return undefined;
  const spellings = [token, Address.checksum(token)];
  const rows = await api.readRows(TOTALS_QUERY, { id_in: spellings }, { block, skip: 0, most: 2 });
  if (rows.length === 0) return undefined;
  const totals = Totals.safeParse(rows[0]).data;
  if (rows.length > 1 || totals?._indexer !== indexer || !spellings.includes(totals.id)) {
    throw sourceFailed(`the delegates service's totals of the token ${token} are invalid`);
  }
  // The count is of delegates with power.
  return { api, block, id: totals.id, count: totals.currentDelegates, votes: totals.delegatedVotesRaw };
}

/** What is wrong with the rows of the first reading is told by the second. */
const UNHEARD: Pick<SpaceSink, "put"> = { put: () => undefined };

/**
 * Creates the source for the delegates of a token: each fetch brings the list of its day. A list that does not add up to
 * what the service itself counts is reported and not stored.
 */
export function createDelegatesSource({
  nowMs,
  ...access
}: ApiAccess & { readonly nowMs: number }): GovernanceSource {
  return {
    sourceId: "delegates-api",
    async fetchSpace({ spaceId, governor }, sink) {
      if (governor === undefined) throw sourceFailed(`the registry names no token for ${spaceId}`);
      const { chainId, token, decimals } = governor;
      const file = `delegates ${chainId} ${token}`;
      // The second time, pages that took too long to read come sooner.
      for (const isLast of [false, true]) {
        const counted = await readDelegateTotals(access, governor);
        if (counted === undefined) {
          const message = `the delegates service does not have this token of chain ${chainId}`;
          return reject(sink, { file }, "TOKEN_NOT_LISTED", message);
        }
        const delegates = await readDelegates(counted, file, isLast ? sink : UNHEARD);
        const votes = delegates.reduce((sum, delegate) => sum + delegate.votes, 0n);
        if (delegates.length === counted.count && votes === counted.votes) {
          const day = { date: new Date(nowMs).toISOString().slice(0, 10), asOfMs: nowMs, fetchedAtMs: nowMs };
          const list = { spaceId, ...day, isComplete: true, decimals, delegates };
          return sink.put({ kind: "delegate-list", list });
        }
        if (!isLast) continue;
        const message = `the list of ${delegates.length} delegates does not add up to the ${counted.count} counted; it is not used`;
        reject(sink, { file }, "DELEGATES_INCOMPLETE", message);
      }
    },
  };
}

async function readDelegates(
  { api, block, id }: NonNullable<Awaited<ReturnType<typeof readDelegateTotals>>>,
  file: string,
  sink: Pick<SpaceSink, "put">,
): Promise<readonly ListedDelegate[]> {
  const where = { governance: id, delegatedVotesRaw_gt: "0" };
  const rows = await api.readRows(DELEGATES_QUERY, where, { block, skip: 0, most: DELEGATES_MAX });
  const tally = createRowTally(sink);
  const delegates = new Map<string, ListedDelegate>();
  for (const [index, listed] of rows.entries()) {
    tally.row({ file, line: index + 1 }, () => {
      const row = parseShape(Row, listed);
      const address = parseEvmAddress(row.user, "user");
      if (row._indexer !== api.indexer || delegates.has(address)) {
        throw rowFailure("DELEGATE_DUPLICATE", "it is listed twice, or of another chain");
      }
      const { delegatedVotesRaw: votes, tokenHoldersRepresentedAmount: delegatorsCount } = row;
      delegates.set(address, { address, votes, delegatorsCount, ens: undefined });
    });
  }
  judgeRows("delegates of the delegates service", tally);
  return [...delegates.values()];
}
