import { describeVersion } from "../../snapshots/format/data-package.ts";
import type { HiddenNames } from "../../snapshots/format/hidden-entities.ts";
import { describeAgain } from "../../snapshots/store/describe-again.ts";
import { placeOf } from "../../snapshots/store/document-layout.ts";
import type { LocatedVersion } from "../../snapshots/store/locate-version.ts";

/**
 * A version as a Frictionless data package for those outside its folder: what its own `datapackage.json` says, with the
 * version's name, without files about somebody who opted out. A version that is old enough to have none is described by
 * its manifest alone: the columns of today need not be those of its tables. Throws `SnapshotError`.
 */
export function dataPackage(located: LocatedVersion, { ids }: HiddenNames): object {
  const { version, manifest } = located;
  const files = manifest.files.filter(({ path }) => {
    const place = placeOf(path);
    return place?.kind !== "entity" || !ids.has(place.id);
  });
  const described = describeAgain(located, files) ?? describeVersion({ ...manifest, files }, () => undefined);
  const { resources, ...about } = described;
  return { ...about, version, created: manifest.created_at, sequence: manifest.sequence, resources };
}
