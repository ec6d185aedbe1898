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
 * Writes a hub's objects as an archive that `fetch --source archive` reads. The first object of a DAO
 * truncates its files; file names come from the registry's space ids, never from the hub's answers.
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

/** Records a node's answers about one DAO. Gets its final name when complete: a torn record replays incomplete data. */
function openChainRecorder(directory: string, chainId: number, spaceId: string) {
  const path = join(directory, chainRecordFile(chainId, spaceId));
  const unfinished = `${path}.part`;
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(unfinished, "w");
  return {
    /** Wraps a node so that every answer is written before it is returned. */
    recorded: (rpc: Rpc): Rpc =>
      rpcOf(async (calls, options) => {
        const outcomes = await rpc.callMany(calls, options);
        const lines = outcomes.map((outcome, index) => `${lineOfAnswer(calls[index] as RpcCall, outcome)}\n`);
        const bytes = Buffer.from(lines.join(""));
        // `writeSync` may write less than it is given.
        for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
        return outcomes;
      }),
    /** Replaces the record of an earlier fetch with this one. */
    keep(): void {
      closeSync(file);
      renameSync(unfinished, path);
    },
    /** Discards this record; that of an earlier fetch stays. */
    drop(): void {
      closeSync(file);
      rmSync(unfinished, { force: true });
    },
  };
}

/**
 * The governor source, which also records its nodes' answers as an archive. A record needs every answer, so
 * each DAO is read in full, even if data is held.
 */
export function createRecordedGovernor(input: {
  readonly directory: string;
  readonly rpcOf: (chainId: number) => Rpc | undefined;
}): GovernanceSource {
  const { directory, rpcOf } = input;
  return {
    sourceId: "governor",
    async fetchSpace(dao, sink) {
      let recorder: ReturnType<typeof openChainRecorder> | undefined;
      const recordedOf = (chainId: number) => {
        const rpc = rpcOf(chainId);
        if (rpc === undefined) return undefined;
        recorder = openChainRecorder(directory, chainId, dao.spaceId);
        return recorder.recorded(rpc);
      };
      try {
        await createGovernorSource({ rpcOf: recordedOf, isFull: true }).fetchSpace(dao, forgetful(sink));
      } catch (error) {
        recorder?.drop();
        throw error;
      }
      recorder?.keep();
    },
  };
}

/** The same sink without memory, not even of an interrupted full fetch: its answers are not in this record. */
function forgetful(sink: SpaceSink): SpaceSink {
  const { memory } = sink;
  if (memory === undefined) return sink;
  return {
    ...sink,
    memory: { ...memory, heldProposals: () => [], note: () => undefined, resumedPage: () => undefined },
  };
}
