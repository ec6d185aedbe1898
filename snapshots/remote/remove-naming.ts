import { PATHS } from "../format/paths.ts";
import { placeOf } from "../store/document-layout.ts";
import { versionNames } from "../store/retention.ts";
import { readRemotePointer } from "./remote-pointer.ts";
import type { RemoteWriter } from "./remote-store.ts";

/** Which entities must be named nowhere. */
export type IsHidden = (entityId: string) => boolean;

async function names(writer: RemoteWriter, version: string, isHidden: IsHidden): Promise<boolean> {
  const folder = `${version}/`;
  const entities = await writer.list(`${folder}entities/`);
  return entities.some(({ path }) => {
    const place = placeOf(path.slice(folder.length));
    return place?.kind === "entity" && isHidden(place.id);
  });
}

/**
 * Deletes every version at a remote place that publishes one of these entities, whoever pushed it and when, also one
 * that was never finished; answers their names. What the pointer there names stays: it must be replaced first. Throws
 * `RemoteError`; what is left is found again by the next call.
 */
export async function removeNaming(writer: RemoteWriter, isHidden: IsHidden): Promise<readonly string[]> {
  const current = (await readRemotePointer(writer))?.pointer.version;
  const removed: string[] = [];
  for (const version of versionNames(await writer.listFolders())) {
    if (version === current || !(await names(writer, version, isHidden))) continue;
    // First what makes it a version, so that nobody begins to read what is about to go; the names of entities last, so
    // that whatever cuts this off is found again.
    await writer.remove([`${version}/${PATHS.manifest}`]);
    const paths = (await writer.list(`${version}/`)).map(({ path }) => path);
    const isEntity = (path: string) => path.startsWith(`${version}/entities/`);
    await writer.remove(paths.filter((path) => !isEntity(path)));
    await writer.remove(paths.filter(isEntity));
    removed.push(version);
  }
  return removed;
}
