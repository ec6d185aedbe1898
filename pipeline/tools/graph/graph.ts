import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { identifyFile } from "../../../snapshots/format/documents.ts";
import { bareGraph } from "../../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { LocatedVersion } from "../../../snapshots/store/read/locate-version.ts";
import { readGraph, readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { type PipelineFailure, pipelineFailure } from "../../facts/errors.ts";
import { chooseVersion } from "../../home/choose-version.ts";
import { hiddenNamesOf, optedOutOf } from "../../home/opt-outs.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { refuseUnknown } from "../refuse-unknown.ts";

const READS_LOGS =
  "`govdata fetch --source governor`, or an archive with its logs/, provides them if the registry entry names a token.";

/** Suggests a DAO of this version that has a graph. */
function elsewhere({ manifest }: LocatedVersion): string {
  const spaceIds = manifest.files.flatMap(({ path }) => {
    const file = identifyFile(path);
    return file?.kind === "graph" ? [file.id] : [];
  });
  const [first] = spaceIds.sort();
  if (first === undefined) return " No DAO of this version has a graph.";
  const others = spaceIds.length === 1 ? "" : `, as do ${spaceIds.length - 1} others`;
  return ` ${first} has one${others}.`;
}

function whyNoGraph(root: string, located: LocatedVersion, spaceId: string): PipelineFailure {
  const { version, manifest } = located;
  const holds = (path: string): boolean => manifest.files.some((file) => file.path === path);
  if (holds(PATHS.latestListing(spaceId))) {
    return pipelineFailure("NOT_FOUND", `${spaceId} has delegates in ${version}, but no delegation graph`, {
      hint:
        "Its delegates come from a published list, which has only the number of delegators, or the version is older " +
        `than graphs. Graphs are made from logs: ${READS_LOGS}${elsewhere(located)}`,
    });
  }
  if (holds(PATHS.evidence(spaceId)) || holds(PATHS.dao(spaceId))) {
    return pipelineFailure("NOT_FOUND", `${spaceId} has no delegation data in ${version}`, {
      hint: `Graphs are made from logs: ${READS_LOGS}${elsewhere(located)}`,
    });
  }
  return refuseUnknown(spaceId, readPublishedDocuments(root, version));
}

/** `govdata graph`: who delegates to whom in one published DAO, without opted-out entities. Throws `PipelineFailure`. */
export async function runGraph(
  settings: Settings,
  { spaceId, version }: { readonly spaceId: string; readonly version: string | undefined },
  effects: Pick<RunEffects, "progress">,
): Promise<DelegationGraph> {
  const optedOut = optedOutOf(settings, effects);
  const located = await chooseVersion(settings, { version });
  return withStore(() => {
    const graph = readGraph(located, spaceId);
    if (graph === undefined) throw whyNoGraph(settings.snapshotsDirectory, located, spaceId);
    return bareGraph(graph, hiddenNamesOf([located], optedOut)(located));
  });
}
