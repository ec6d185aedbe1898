import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";

/** The real disk of a root, which says the number of each operation (from 1) before it begins. */
export function countOperations(root: string, onOperation: (nth: number) => void): SnapshotDisk {
  let nth = 0;
  return new Proxy(createSnapshotDisk(root), {
    get(disk, name) {
      const value: unknown = Reflect.get(disk, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        nth += 1;
        onOperation(nth);
        return value.apply(disk, args);
      };
    },
  });
}
