import { type DataPackage, describeVersion } from "../../snapshots/format/data-package.ts";

/** A data package with its resources as an array. */
export function wholePackage(...about: Parameters<typeof describeVersion>): DataPackage {
  const described = describeVersion(...about);
  return { ...described, resources: [...described.resources] };
}
