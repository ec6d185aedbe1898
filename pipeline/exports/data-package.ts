import { describeVersion } from "../../snapshots/format/data-package.ts";
import type { HiddenNames } from "../../snapshots/format/hidden-entities.ts";
import { placeOf } from "../../snapshots/store/document-layout.ts";
import type { LocatedVersion } from "../../snapshots/store/locate-version.ts";
import { tableSchemaOf } from "./table-schema.ts";

/**
 * A version as a Frictionless data package for those outside its folder: what its own `datapackage.json` says, or would
 * if it were old enough to have none, with the version's name, without files about somebody who opted out.
 */
export function dataPackage({ version, manifest }: LocatedVersion, { ids }: HiddenNames): object {
  const files = manifest.files.filter(({ path }) => {
    const place = placeOf(path);
    return place?.kind !== "entity" || !ids.has(place.id);
  });
  const { resources, ...about } = describeVersion({ ...manifest, files }, tableSchemaOf);
  return { ...about, version, created: manifest.created_at, sequence: manifest.sequence, resources };
}
