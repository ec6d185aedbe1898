import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { chainRecordFile, lineOfAnswer } from "../sources/archive/chain-record.ts";
import type { Rpc, RpcCall, RpcOutcome } from "../sources/governor/rpc.ts";
import { RpcError } from "../sources/governor/rpc-error.ts";

/** Writes down what a node answers about one DAO. */
export interface ChainRecorder {
  /** The same node; every answer of it is written before it is passed on. */
  recorded(rpc: Rpc): Rpc;
  /** What was written takes the place of what an earlier fetch recorded. */
  keep(): void;
  /** Nothing of it stays, and what an earlier fetch recorded does. */
  drop(): void;
}

/**
 * Begins the record of one DAO in an archive. Only whole records get their name: a reading that broke off would replay to
 * less than there is.
 */
export function openChainRecorder(directory: string, chainId: number, spaceId: string): ChainRecorder {
  const path = join(directory, chainRecordFile(chainId, spaceId));
  const unfinished = `${path}.part`;
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(unfinished, "w");
  const write = (calls: readonly RpcCall[], outcomes: readonly RpcOutcome[]): void => {
    const lines = outcomes.flatMap((outcome, index) => {
      const call = calls[index];
      return call === undefined ? [] : [`${lineOfAnswer(call, outcome)}\n`];
    });
    writeAll(file, lines.join(""));
  };
  return {
    recorded: (rpc) => ({
      async call(method, params, options) {
        const call = { method, params };
        try {
          const result = await rpc.call(method, params, options);
          write([call], [{ kind: "result", result }]);
          return result;
        } catch (error) {
          if (error instanceof RpcError) write([call], [{ kind: "refused", error }]);
          throw error;
        }
      },
      async callMany(calls) {
        const outcomes = await rpc.callMany(calls);
        write(calls, outcomes);
        return outcomes;
      },
    }),
    keep() {
      closeSync(file);
      renameSync(unfinished, path);
    },
    drop() {
      closeSync(file);
      rmSync(unfinished, { force: true });
    },
  };
}

/** The system may take less than it is given. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}
