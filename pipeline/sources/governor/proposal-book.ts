import { z } from "zod";
import { isPipelineFailure, sourceFailed } from "../../facts/errors.ts";
import type { HeldProposal, IndexedBlock } from "../../facts/governance-source.ts";
import { parseStored } from "../upstream/parse-values.ts";
import { isRowFailure, type RowFailure, rowFailure } from "../upstream/row-error.ts";
import { isOnChain } from "./blocks.ts";
import { GOVERNOR_TOPICS, type GovernorEvent, governorEventOfLog } from "./governor-events.ts";
import { type NodeLog, parseLogs, readLogSteps, withTimes } from "./read-logs.ts";
import { type GovernorReading, type LogTally, type ProposalsNote, StoredBlock } from "./reading.ts";
import { GOVERNOR_LIMITS, parseQuantity } from "./rpc.ts";
import { createVoteTally, type LoggedProposal } from "./vote-tally.ts";

export type LateFate = "canceled" | "executed";

function createProposalBook(
  { indexedBlock, held, refused }: EarlierReading,
  internVoter: (address: string) => number,
) {
  const read = new Map<bigint, LoggedProposal>();
  const lateFates = new Map<string, LateFate>();
  let isOutdated = false;

  function create({ kind: _, ...created }: CreatedEvent, createdBlock: number): void {
    read.set(created.id, { ...created, createdBlock, fate: "running", votes: createVoteTally() });
    if (read.size <= GOVERNOR_LIMITS.proposalsMax) return;
    throw sourceFailed(`a governor has more than ${GOVERNOR_LIMITS.proposalsMax} proposals`);
  }
  function change(known: LoggedProposal, event: LaterEvent, blockNumber: number): void {
    if (event.kind === "vote") {
      const { voter, power, support, reason } = event;
      known.votes.add({ voterId: internVoter(voter), power, support, reason, blockNumber });
    } else if (event.kind === "reduced") known.votes.reduce(internVoter(event.voter), event.power);
    else if (event.kind === "extended") known.end = event.end;
    else known.fate = event.kind;
  }
  function changeEarlier(id: string, event: LaterEvent, blockNumber: number): void {
    if (blockNumber <= indexedBlock) return;
    const isFate = event.kind === "canceled" || event.kind === "executed";
    if (!isFate) isOutdated = true;
    else if (held.has(id)) lateFates.set(id, event.kind);
  }

  return {
    /** Throws `RowFailure` for an event without a known proposal. */
    apply(event: GovernorEvent, blockNumber: number): void {
      const id = event.id.toString();
      const known = read.get(event.id);
      const isEarlier = held.has(id) || refused.has(id);
      if (event.kind !== "created") {
        if (known !== undefined) change(known, event, blockNumber);
        else if (isEarlier) changeEarlier(id, event, blockNumber);
        else throw rowFailure("PROPOSAL_UNKNOWN", "no earlier log creates its proposal");
      } else if (known !== undefined || isEarlier) {
        throw rowFailure("PROPOSAL_DUPLICATE", "an earlier log has the same id");
      } else create(event, blockNumber);
    },
    proposals: (): readonly LoggedProposal[] => [...read.values()],
    lateFates: (): ReadonlyMap<string, LateFate> => lateFates,
    /** An event changed an earlier proposal in a way that requires reading all of its logs again. */
    isOutdated: () => isOutdated,
  };
}
type CreatedEvent = Extract<GovernorEvent, { kind: "created" }>;
type LaterEvent = Exclude<GovernorEvent, CreatedEvent>;

/** Where to resume reading a governor, and which proposals need no reading: none at the first reading. */
export interface EarlierReading {
  readonly fromBlock: number;
  /** Events up to this block are included in the held data. */
  readonly indexedBlock: number;
  /** Proposals whose logs are not read again, by id. */
  readonly held: ReadonlyMap<string, HeldProposal>;
  /** Ids of proposals that were rejected and whose logs are not read again. */
  readonly refused: ReadonlySet<string>;
  /** Ids of proposals that must appear again in the logs from `fromBlock` on. */
  readonly younger: readonly string[];
}

export function nothingEarlier(fromBlock: number): EarlierReading {
  return { fromBlock, indexedBlock: -1, held: new Map(), refused: new Set(), younger: [] };
}

/**
 * Which held proposals stay valid: all that can no longer change, if they were built in the same way and the
 * block up to which they were read is still part of the chain. Otherwise none.
 */
export async function earlierProposals(
  { rpc, head, governor, memory, isFull }: GovernorReading,
  note: ProposalsNote | undefined,
  basis: string,
): Promise<EarlierReading> {
  const nothing = nothingEarlier(governor.firstBlock);
  if (note?.basis !== basis || isFull) return nothing;
  if (!(await isOnChain(rpc, head, note.indexed))) return nothing;
  const younger = new Set(note.younger);
  const older = memory.heldProposals().filter(({ proposal }) => !younger.has(proposal.proposalId));
  const isWhole = older.every(
    ({ proposal, ballot }) => (proposal.votesCount ?? 0) === 0 || ballot?.isFinal === true,
  );
  if (!isWhole) return nothing;
  return {
    fromBlock: note.fromBlock,
    indexedBlock: note.indexed.number,
    held: new Map(older.map((one) => [one.proposal.proposalId, one])),
    refused: new Set(note.refused),
    younger: note.younger,
  };
}

export type BookedLogs = Awaited<ReturnType<typeof readProposalBook>>;

const Page = z.object({ basis: z.string(), from: z.number(), through: StoredBlock, logs: z.unknown() });

/**
 * Reads a governor's new logs into a book of proposals. Stores them in pages, so that an interrupted reading
 * resumes after its last page if that page's last block is still part of the chain. A page with another basis
 * is not used, and a stored page is validated like a node's answer.
 */
export async function readProposalBook(
  reading: GovernorReading,
  given: {
    readonly governor: string;
    readonly earlier: EarlierReading;
    readonly basis: string;
    readonly tally: LogTally;
  },
) {
  const { rpc, head, memory, sink } = reading;
  const { governor, earlier, basis, tally } = given;
  const book = createProposalBook(earlier, sink.internVoter);
  const timesMs = new Map<number, number>();
  const series = `logs ${governor} from ${earlier.fromBlock}`;

  const take = (logs: readonly NodeLog[], events = logs.map((log) => readEvent(log, governor))): void => {
    for (const [index, { log, blockNumber }] of logs.entries()) {
      const event = events[index];
      tally.log(() => {
        if (isRowFailure(event)) throw event;
        if (log.blockTimestamp != null) {
          timesMs.set(blockNumber, parseQuantity(log.blockTimestamp, "block time") * 1000);
        }
        if (event !== undefined) book.apply(event, blockNumber);
      });
    }
  };
  const pageAt = (index: number, from: number) => {
    const page = parseStored(Page, memory.resumedPage(series, index));
    if (page?.basis !== basis || page.from !== from || page.through.number > head.number) return undefined;
    try {
      return { through: page.through, logs: parseLogs(page.logs, { from, to: page.through.number }) };
    } catch (error) {
      if (isPipelineFailure(error)) return undefined;
      throw error;
    }
  };

  let count = 0;
  let reached: IndexedBlock | undefined;
  for (let page = pageAt(0, earlier.fromBlock); page !== undefined; ) {
    count += 1;
    reached = page.through;
    page = pageAt(count, reached.number + 1);
  }
  // If the pages do not connect, they may come from different chains.
  const isWhole = memory.resumedPage(series, count) === undefined;
  if (reached === undefined || !isWhole || !(await isOnChain(rpc, head, reached))) {
    memory.forgetPages(series);
    count = 0;
  }
  // Applied only after the last page was verified. Parsed twice, because all pages together may not fit into
  // memory.
  let from = earlier.fromBlock;
  for (let position = 0; position < count; position += 1) {
    const page = pageAt(position, from);
    if (page === undefined) throw sourceFailed("a stored page of logs disappeared");
    take(page.logs);
    from = page.through.number + 1;
  }
  const cuts = await readLogSteps(reading, {
    address: governor,
    topics: Object.values(GOVERNOR_TOPICS),
    fromBlock: from,
    logsPerStep: GOVERNOR_LIMITS.governorLogsPerStep,
    async keep(untimed, through) {
      const logs = await withTimes(rpc, untimed);
      const events = logs.map((log) => readEvent(log, governor));
      const kept = logs.map(({ log, blockHash }) => ({ ...log, blockHash }));
      const payload = JSON.stringify({ basis, from, through, logs: kept } satisfies z.input<typeof Page>);
      // Number the voters together with the page that stores them.
      const voters = events.flatMap((event) =>
        isRowFailure(event) || event?.kind !== "vote" ? [] : [event.voter],
      );
      memory.checkpoint({ series, page: count, payload, voters: [...new Set(voters)] });
      count += 1;
      from = through.number + 1;
      take(logs, events);
    },
  });
  return { book, timesMs, cuts };
}

/** The event of a log, or the error why it cannot be read; the caller reports it. */
function readEvent({ log }: NodeLog, governor: string): GovernorEvent | RowFailure | undefined {
  try {
    return governorEventOfLog(log, governor);
  } catch (error) {
    if (isRowFailure(error)) return error;
    throw error;
  }
}
