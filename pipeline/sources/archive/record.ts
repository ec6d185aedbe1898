import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { GovernanceSource, SpaceSink } from "../../facts/governance-source.ts";
import { createGovernorSource } from "../governor/governor-source.ts";
import { type Rpc, type RpcCall, rpcOf } from "../governor/rpc.ts";
import type { HubObject } from "../hub/hub-reading.ts";
import { chainRecordFile, lineOfAnswer } from "./chain-record.ts";

/**
 * Writes what a hub said as an archive that `fetch --source archive` reads. The files of a DAO begin anew with the
 * first object of it; names come from the registry's space ids, never from what the hub said.
 */
export function createArchiveRecorder(directory: string): (object: HubObject) => void {
  const begun = new Set<string>();
  for (const folder of ["spaces", "proposals", "votes"])
    mkdirSync(join(directory, folder), { recursive: true });
  return ({ kind, spaceId, object }) => {
    const proposals = join(directory, "proposals", `${spaceId}.ndjson`);
    const votes = join(directory, "votes", `${spaceId}.ndjson`);
    if (!begun.has(spaceId)) {
      begun.add(spaceId);
      writeFileSync(proposals, "");
      writeFileSync(votes, "");
    }
    if (kind === "space") {
      writeFileSync(join(directory, "spaces", `${spaceId}.json`), `${JSON.stringify(object)}\n`);
    } else appendFileSync(kind === "vote" ? votes : proposals, `${JSON.stringify(object)}\n`);
  };
}

/**
 * Begins the record of what a node answers about one DAO in an archive. Only whole records get their name: a reading that
 * broke off would replay to less than there is.
 */
function openChainRecorder(directory: string, chainId: number, spaceId: string) {
  const path = join(directory, chainRecordFile(chainId, spaceId));
  const unfinished = `${path}.part`;
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(unfinished, "w");
  return {
    /** The same node; every answer of it is written before it is passed on. */
    recorded: (rpc: Rpc): Rpc =>
      rpcOf(async (calls, options) => {
        const outcomes = await rpc.callMany(calls, options);
        const lines = outcomes.map((outcome, index) => `${lineOfAnswer(calls[index] as RpcCall, outcome)}\n`);
        const bytes = Buffer.from(lines.join(""));
        // The system may take less than it is given.
        for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
        return outcomes;
      }),
    /** What was written takes the place of what an earlier fetch recorded. */
    keep(): void {
      closeSync(file);
      renameSync(unfinished, path);
    },
    /** Nothing of it stays, and what an earlier fetch recorded does. */
    drop(): void {
      closeSync(file);
      rmSync(unfinished, { force: true });
    },
  };
}

/**
 * The governor source, which also writes what its nodes answer as an archive. A record must hold every answer, so that each
 * DAO is read whole, whatever is held of it.
 */
export function createRecordedGovernor(input: {
  readonly directory: string;
  readonly rpcOf: (chainId: number) => Rpc | undefined;
}): GovernanceSource {
  const { directory, rpcOf } = input;
  return {
    sourceId: "governor",
    async fetchSpace(dao, sink) {
      const rpc = dao.governor === undefined ? undefined : rpcOf(dao.governor.chainId);
      if (dao.governor === undefined || rpc === undefined) {
        // Refused by the source in its own words, and nothing to record.
        await createGovernorSource({ rpcOf }).fetchSpace(dao, sink);
        return;
      }
      const recorder = openChainRecorder(directory, dao.governor.chainId, dao.spaceId);
      try {
        const recorded = recorder.recorded(rpc);
        const source = createGovernorSource({ rpcOf: () => recorded, isFull: true });
        await source.fetchSpace(dao, forgetful(sink));
      } catch (error) {
        recorder.drop();
        throw error;
      }
      recorder.keep();
    },
  };
}

/** The same sink, which remembers nothing: not even what a whole reading kept that broke off, for it was asked then. */
function forgetful(sink: SpaceSink): SpaceSink {
  const { memory } = sink;
  if (memory === undefined) return sink;
  return {
    ...sink,
    memory: { ...memory, heldProposals: () => [], note: () => undefined, resumedPage: () => undefined },
  };
}
