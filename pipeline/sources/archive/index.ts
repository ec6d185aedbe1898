import { PipelineError } from "../../base/pipeline-error.ts";
import type { GovernanceSource } from "../../facts/space-sink.ts";
import { archivedState } from "./archived-state.ts";
import { fetchChain } from "./fetch-chain.ts";
import { fetchDelegateLists } from "./fetch-delegate-lists.ts";
import { fetchLogs } from "./fetch-logs.ts";
import { fetchProposals } from "./fetch-proposals.ts";
import { fetchSpaceObject } from "./fetch-space-object.ts";
import { fetchVotes } from "./fetch-votes.ts";

/**
 * A folder of upstream objects, replayed (fixtures/README.md shows its layout). What it does not hold is no such data;
 * a DAO of which it holds nothing at all fails. A path is made of the registry's ids alone, never of what a file says.
 */
export function createArchiveSource({ directory }: { readonly directory: string }): GovernanceSource {
  return {
    sourceId: "archive",
    stateOf: (dao, nowMs) => archivedState(directory, dao, nowMs),
    async fetchSpace(dao, sink) {
      const { spaceId, governor } = dao;
      const reading = { directory, sink };
      const hasSpace = await fetchSpaceObject(reading, spaceId);
      const proposals = await fetchProposals(reading, spaceId);
      const hasVotes = await fetchVotes(reading, spaceId, proposals ?? new Map());
      const hasLists = await fetchDelegateLists(reading, spaceId);
      // Logs of the token's own file tell all that a record's would; both together would tell it twice.
      const hasChain =
        governor !== undefined &&
        ((await fetchLogs(reading, governor)) || (await fetchChain(reading, dao, governor)));
      if (hasSpace || proposals !== undefined || hasVotes || hasLists || hasChain) return;
      throw new PipelineError("SOURCE_FAILED", `the archive holds nothing for ${spaceId}`, {
        hint: "Its files are spaces/<space_id>.json, proposals/<space_id>.ndjson and so on (fixtures/README.md).",
      });
    },
  };
}
