import type { GovernanceSource, SpaceSink } from "../facts/space-sink.ts";
import { createGovernorSource } from "../sources/governor/index.ts";
import type { Rpc } from "../sources/governor/rpc.ts";
import { openChainRecorder } from "./chain-recorder.ts";

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
