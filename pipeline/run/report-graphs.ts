import { bareGraph } from "../../snapshots/format/bare-graph.ts";
import type { DelegationGraph } from "../../snapshots/format/delegation-graph.ts";
import { locateVersion } from "../../snapshots/store/locate-version.ts";
import { readGraph } from "../../snapshots/store/read-graph.ts";
import type { WholeVersion } from "../../snapshots/store/read-version.ts";
import { hiddenNamesOf } from "../exports/hidden-names.ts";
import { readLiveOptOuts } from "./live-opt-outs.ts";
import type { Settings } from "./settings.ts";

/** The delegation graphs of a version by space_id, without a name of whoever is on the live list. Throws `SnapshotError`. */
export function reportGraphs(
  settings: Settings,
  { version, set }: WholeVersion,
): ReadonlyMap<string, DelegationGraph> {
  const located = locateVersion(settings.snapshotsDirectory, { version });
  const { list } = readLiveOptOuts(settings);
  const hidden = hiddenNamesOf([located], { known: [], isHidden: list.has })(located);
  return new Map(
    set.graphs.flatMap(({ space_id: spaceId }) => {
      // Read anew, as `readGraph` believes none that does not add up.
      const graph = readGraph(located, spaceId);
      return graph === undefined ? [] : [[spaceId, bareGraph(graph, hidden)]];
    }),
  );
}
