import { randomInt } from "node:crypto";
import { createVoteCollection, type OpenVotes } from "../../facts/collect-votes.ts";
import type { DelegationEvent } from "../../facts/dao-facts.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { GovernorToken } from "../../facts/tracked.ts";
import { createVoterTable } from "../../facts/voters.ts";
import { GOVERNOR_LIMITS } from "../governor/rpc.ts";
import { ChainLog, delegationEventOfLog } from "../upstream/delegation-event.ts";
import {
  HubProposal,
  HubVote,
  proposalIdOf,
  proposalOfHub,
  spaceOfHub,
  voteOfHub,
} from "../upstream/hub-objects.ts";
import { createRowTally, parseShape, reject, rowFailure } from "../upstream/row-error.ts";
import { readDocument } from "./read-document.ts";
import { type ArchiveReading, judgeFile, readRows } from "./read-rows.ts";
import { expectedOf, viewOf } from "./scan-json.ts";
import { createScannedVote, NO_OPTION, scanVote } from "./scan-vote.ts";

/** Remembered choice texts: enough for most ballots, but bounded. */
const CHOICES_MAX = 4096;

/** Collects the votes of an archive on these proposals, in any order. */
export function collectVotes(proposals: ReadonlyMap<string, Proposal>) {
  const collection = createVoteCollection();
  const voters = createVoterTable(randomInt(2 ** 32));
  const vote = createScannedVote();
  /** The ballot of the last scanned vote, and the numbers of choices that were given on it as lists or objects. */
  let ballot: OpenVotes | undefined;
  const choiceNumbers = new Map<string, number>();

  const ballotOfVote = (bytes: Buffer): OpenVotes | undefined => {
    if (vote.isOnKnown) return ballot;
    const proposal = proposals.get(bytes.toString("latin1", vote.proposalFrom, vote.proposalTo));
    if (proposal === undefined) return undefined;
    ballot = collection.ballotOf(proposal);
    vote.knownProposal = expectedOf(Buffer.from(bytes.subarray(vote.proposalFrom - 1, vote.proposalTo + 1)));
    choiceNumbers.clear();
    return ballot;
  };
  const choiceOfVote = (bytes: Buffer, { choices }: OpenVotes): number | undefined => {
    if (vote.option !== NO_OPTION) return choices.numberOf(vote.option);
    const text = bytes.toString("latin1", vote.choiceFrom, vote.choiceTo);
    const known = choiceNumbers.get(text);
    if (known !== undefined) return known;
    const parsed = parsedOrLeft(text);
    if (parsed === undefined) return undefined;
    const number = choices.numberOf(parsed);
    if (choiceNumbers.size === CHOICES_MAX) choiceNumbers.clear();
    choiceNumbers.set(text, number);
    return number;
  };
  return {
    /** Adds one parsed vote. It can read every vote; throws `RowFailure`. */
    take(value: unknown, line: number): void {
      const hub = parseShape(HubVote, value);
      const proposal = proposals.get(proposalIdOf(hub) ?? "");
      if (proposal === undefined) {
        throw rowFailure("PROPOSAL_UNKNOWN", "its proposal is not in the archive or was rejected");
      }
      const cast = voteOfHub(hub, line, voters.internText);
      collection.add(collection.ballotOf(proposal), cast);
    },
    /** The `ScanLine` of a file of votes: adds a vote directly from its bytes, or leaves it to `take`, for the same facts. */
    scan(bytes: Buffer, from: number, to: number, line: number): number {
      const next = scanVote(bytes, from, to, vote, viewOf(bytes));
      if (next === -1) return -1;
      const known = ballotOfVote(bytes);
      const choice = known && choiceOfVote(bytes, known);
      if (known === undefined || choice === undefined) return -1;
      const voter = voters.intern(vote.voterWords, 0, vote.isVoterLong);
      collection.put(known, voter, vote.timeS, vote.power, choice, vote.flags, line);
      if (vote.isHexId) collection.setLastId(vote.idWords);
      else if (vote.idTo !== 0) collection.setLastIdText(bytes.toString("latin1", vote.idFrom, vote.idTo));
      return next;
    },
    /** The voters so far; a vote's voter is an index of this list. */
    voters: voters.list,
    finished: collection.finished,
  };
}

function parsedOrLeft(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
