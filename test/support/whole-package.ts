import { type DataPackage, describeVersion } from "../../snapshots/format/data-package.ts";

/** A version as a data package whose resources are all there at once. */
export function wholePackage(...about: Parameters<typeof describeVersion>): DataPackage {
  const described = describeVersion(...about);
  return { ...described, resources: [...described.resources] };
}
