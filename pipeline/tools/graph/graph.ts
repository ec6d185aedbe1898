import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { bareGraph } from "../../../snapshots/format/hidden-entities.ts";
import { readGraph, readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseVersion } from "../../home/choose-version.ts";
import { hiddenNamesOf, optedOutOf } from "../../home/opt-outs.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { refuseUnknown } from "../refuse-unknown.ts";

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
    if (graph !== undefined) return bareGraph(graph, hiddenNamesOf([located], optedOut)(located));
    const documents = readPublishedDocuments(settings.snapshotsDirectory, located.version);
    if (!documents.spaceIds.includes(spaceId)) return refuseUnknown(spaceId, documents);
    throw pipelineFailure("NOT_FOUND", `${spaceId} has no delegation graph in ${located.version}`, {
      hint: "Graphs are made from logs, not from a published list: `govdata fetch --source governor`, or an archive with its logs/, provides them if the registry entry names a token.",
    });
  });
}
