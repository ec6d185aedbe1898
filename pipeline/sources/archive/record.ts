import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GovernanceSource, SpaceSink } from "../../facts/governance-source.ts";
import { createGovernorSource } from "../governor/governor-source.ts";
import { type Rpc, type RpcCall, rpcOf } from "../governor/rpc.ts";
import type { HubObject } from "../hub/ask-hub.ts";
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

/**
 * The governor source, which also records its nodes' answers as an archive. A record needs every answer, so
 * each DAO is read in full, even if data is held. It replaces that of an earlier fetch once it is complete, because a torn
 * one would replay incomplete data.
 */
export function createRecordedGovernor({
  directory,
  rpcOf: nodeOf,
}: {
  readonly directory: string;
  readonly rpcOf: (chainId: number) => Rpc | undefined;
}): GovernanceSource {
  return {
    sourceId: "governor",
    async fetchSpace(dao, sink) {
      let record: { readonly path: string; readonly descriptor: number } | undefined;
      const recordedOf = (chainId: number) => {
        const rpc = nodeOf(chainId);
        if (rpc === undefined) return undefined;
        const path = join(directory, chainRecordFile(chainId, dao.spaceId));
        mkdirSync(dirname(path), { recursive: true });
        const descriptor = openSync(`${path}.part`, "w");
        record = { path, descriptor };
        return rpcOf(async (calls, options) => {
          const outcomes = await rpc.callMany(calls, options);
          const lines = outcomes.map(
            (outcome, index) => `${lineOfAnswer(calls[index] as RpcCall, outcome)}\n`,
          );
          writeFileSync(descriptor, lines.join(""));
          return outcomes;
        });
      };
      let isWhole = false;
      try {
        await createGovernorSource({ rpcOf: recordedOf, isFull: true }).fetchSpace(dao, forgetful(sink));
        isWhole = true;
      } finally {
        if (record !== undefined) {
          closeSync(record.descriptor);
          if (isWhole) renameSync(`${record.path}.part`, record.path);
          else rmSync(`${record.path}.part`, { force: true });
        }
      }
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
