import type { DelegationEvent } from "../../facts/dao-facts.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { GovernorToken } from "../../facts/tracked.ts";
import { GOVERNOR_LIMITS } from "../governor/rpc.ts";
import { ChainLog, delegationEventOfLog } from "../upstream/delegation-event.ts";
import { HubProposal, proposalOfHub, spaceOfHub } from "../upstream/hub-objects.ts";
import { createRowTally, parseShape, reject, rowFailure } from "../upstream/row-error.ts";
import { collectVotes } from "./collect-votes.ts";
import { readDocument } from "./read-document.ts";
import { type ArchiveReading, judgeFile, readRows } from "./read-rows.ts";

const BATCH = 10_000;

/** Reads `logs/<chain_id>-<token>.ndjson` without events that move no votes; returns whether the file exists. */
export async function fetchLogs(reading: ArchiveReading, governor: GovernorToken): Promise<boolean> {
  const { token, chainId } = governor;
  const { blocksMax, logsPerBlockMax } = GOVERNOR_LIMITS;
  const seen = new Set<number>();
  let batch: DelegationEvent[] = [];
  const put = () => {
    if (batch.length > 0) reading.sink.put({ kind: "delegation-events", token, events: batch });
    batch = [];
  };
  const wasThere = await readRows(reading, `logs/${chainId}-${token}.ndjson`, (value) => {
    const event = delegationEventOfLog(parseShape(ChainLog, value), token);
    if (event === undefined) return;
    const { blockNumber, logIndex } = event;
    if (blockNumber >= blocksMax || logIndex >= logsPerBlockMax) {
      throw rowFailure("LOG_MALFORMED", "blockNumber or logIndex is too large for any chain");
    }
    const key = blockNumber * logsPerBlockMax + logIndex;
    if (seen.has(key)) throw rowFailure("LOG_DUPLICATE", "an earlier log has the same block and index");
    seen.add(key);
    batch.push(event);
    if (batch.length === BATCH) put();
  });
  put();
  return wasThere;
}

/** Reads `proposals/<space_id>.ndjson`; returns the accepted ones by id, `undefined` if there is no file. */
export async function fetchProposals(
  reading: ArchiveReading,
  spaceId: string,
): Promise<ReadonlyMap<string, Proposal> | undefined> {
  const proposals = new Map<string, Proposal>();
  const wasThere = await readRows(reading, `proposals/${spaceId}.ndjson`, (value) => {
    const proposal = proposalOfHub(parseShape(HubProposal, value));
    if (proposals.has(proposal.proposalId)) {
      throw rowFailure("PROPOSAL_DUPLICATE", "an earlier row has the same id");
    }
    proposals.set(proposal.proposalId, proposal);
    reading.sink.put({ kind: "proposal", proposal });
  });
  return wasThere ? proposals : undefined;
}

/** Reads `spaces/<space_id>.json`; returns whether the file exists. */
export async function fetchSpaceObject(reading: ArchiveReading, spaceId: string): Promise<boolean> {
  const file = `spaces/${spaceId}.json`;
  const document = await readDocument(reading.directory, file);
  if (document === undefined) return false;
  const { sink } = reading;
  const tally = createRowTally(sink);
  tally.row({ file, line: undefined }, () => {
    const { space, unknown } = spaceOfHub(document(), spaceId);
    for (const message of unknown) reject(sink, { file }, "BAD_SHAPE", message);
    sink.put({ kind: "space", space });
  });
  judgeFile(file, tally);
  return true;
}

/**
 * Reads `votes/<space_id>.ndjson`, whose votes may be in any order: they are collected in columns until the
 * last line, and their voters are numbered at once. A proposal without votes gets no ballot. Returns whether
 * the file exists.
 */
export async function fetchVotes(
  reading: ArchiveReading,
  spaceId: string,
  proposals: ReadonlyMap<string, Proposal>,
): Promise<boolean> {
  const { sink } = reading;
  const file = `votes/${spaceId}.ndjson`;
  const votes = collectVotes(proposals);
  const wasThere = await readRows(reading, file, votes.take, votes.scan);
  const numbers = await sink.numberVoters(votes.voters());
  for (const { ballot, setAside } of votes.finished(numbers)) {
    sink.put({ kind: "votes", votes: ballot, isFinal: true });
    for (const { line, code, message } of setAside) reject(sink, { file, line }, code, message);
  }
  return wasThere;
}
