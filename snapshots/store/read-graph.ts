import { unless } from "../format/agreement/disagreement.ts";
import { checkGraphSums } from "../format/agreement/graph-sums.ts";
import { DelegationGraph } from "../format/delegation-graph.ts";
import { SpaceId } from "../format/ids.ts";
import { PATHS } from "../format/paths.ts";
import type { LocatedVersion } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/**
 * The delegation graph of one DAO, verified by hash, its own, and adding up; `undefined` where the version holds none of
 * it. Throws `SnapshotError`.
 */
export function readGraph(
  { directory, manifest }: LocatedVersion,
  spaceId: string,
): DelegationGraph | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const path = PATHS.graph(spaceId);
  const file = manifest.files.find((each) => each.path === path);
  if (file === undefined) return undefined;
  const graph = parseJsonFile(path, readVerified(directory, file), DelegationGraph);
  // A right hash only says that the file is the manifest's; a graph that does not add up cannot be drawn.
  const [wrong] = [
    ...unless(graph.space_id === spaceId, path, "holds the document of another id"),
    ...checkGraphSums(path, graph),
  ];
  if (wrong !== undefined) throw new SnapshotError("SNAPSHOT_INVALID", wrong.message, { path });
  return graph;
}
