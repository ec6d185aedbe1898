import { badOption } from "../../snapshots/base/command-line/values.ts";
import { identifyFile } from "../../snapshots/format/documents.ts";
import { EntityId, timestampOf } from "../../snapshots/format/ids.ts";
import {
  isOptOutsFailure,
  type OptOutStore,
  openOptOutStore,
} from "../../snapshots/optouts/opt-out-store.ts";
import { locateVersion } from "../../snapshots/store/read/locate-version.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { operatorFailure } from "../operator-error.ts";
import type { CommandContext } from "./command-context.ts";

const COLUMNS = ["opted_out_at", "digest", "published_as"];

/** Enough of a hash to tell two opt-outs apart. */
const DIGEST_DIGITS = 16;

export function addOptOutCommands({
  add,
  program,
  world,
  paths,
  tell,
  printRows,
  printDone,
}: CommandContext): void {
  const withStore = (work: (store: OptOutStore) => void) => withStoreAt(paths().optouts, work);
  const optOut = add(program, "optout", "live opt-outs: entities that no answer may name", "optout list");

  add(
    optOut,
    "add <entity-id>",
    "stop naming an entity in answers; a running server obeys within one second",
    "optout add ent_0123456789abcdefghijklmnop",
  ).action((given: string) => {
    const entityId = parseEntityId(given);
    withStore((store) => {
      const isChanged = store.add(entityId, world.nowMs());
      tell(
        isChanged
          ? "opted out; published files still name it: `govdata redact` removes it from them"
          : "was already opted out; nothing was changed",
      );
      if (!publishedIds(paths().snapshots).includes(entityId)) {
        tell("warning: the published version does not contain it; check the id if it should");
      }
      printDone({ entity_id: entityId, opted_out: true, changed: isChanged });
    });
  });

  add(
    optOut,
    "list",
    "list all opt-outs as hashes, with the ids that the published version still contains",
    "optout list",
  ).action(() => {
    withStore((store) => {
      const published = publishedIds(paths().snapshots);
      const idOf = new Map(published.map((id) => [store.digestOf(id).toString("hex"), id]));
      const rows = store.rows().map(({ digest, sinceMs }) => ({
        opted_out_at: timestampOf(sinceMs),
        digest: digest.toString("hex").slice(0, DIGEST_DIGITS),
        published_as: idOf.get(digest.toString("hex")) ?? null,
      }));
      printRows(rows, { columns: COLUMNS });
    });
  });

  add(
    optOut,
    "remove <entity-id>",
    "remove an entity from the live list; an opt-out in the registry still applies",
    "optout remove ent_0123456789abcdefghijklmnop",
  ).action((given: string) => {
    const entityId = parseEntityId(given);
    withStore((store) => {
      const isChanged = store.remove(entityId);
      tell(
        isChanged
          ? "removed from the list; a redacted version still omits it, the next publish may name it again"
          : "was not on the list; nothing was changed",
      );
      printDone({ entity_id: entityId, opted_out: false, changed: isChanged });
    });
  });
}

function parseEntityId(given: string): string {
  if (EntityId.safeParse(given).success) return given;
  throw badOption(
    "That is not an entity id.",
    "An id is ent_ and 26 letters or digits: see `govdata entity list`",
  );
}

function withStoreAt(path: string, work: (store: OptOutStore) => void): void {
  try {
    const store = openOptOutStore(path);
    try {
      work(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (!isOptOutsFailure(error)) throw error;
    const hint =
      error.code === "OPT_OUTS_MISSING"
        ? `It was expected at ${path}: name govdata's list with --optouts FILE or GOVDATA_OPTOUTS.`
        : "Check that the file is that of govdata, and that you may read and write it and its folder.";
    throw operatorFailure(error.code, `${sentence(error.message)}.`, hint, error);
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the ids in the current version; none if there is no version, so that opt-outs are listed anyway. */
function publishedIds(root: string): readonly string[] {
  try {
    return locateVersion(root).manifest.files.flatMap(({ path }) => {
      const place = identifyFile(path);
      return place?.kind === "entity" ? [place.id] : [];
    });
  } catch (error) {
    if (isSnapshotFailure(error)) return [];
    throw error;
  }
}
