import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";

type StagedFile = Awaited<ReturnType<SnapshotDisk["create"]>>;

/** Everything a disk is asked to do, by the name of the call. */
export const OPERATION_KINDS = [
  "makeRoot",
  "lock",
  "names",
  "makeDirectory",
  "create",
  "write",
  "sync",
  "close",
  "link",
  "rename",
  "syncDirectory",
  "remove",
] as const;
/** What may have been done although it is reported as failed. */
export const REPORTED_KINDS: readonly OperationKind[] = [
  "makeDirectory",
  "link",
  "rename",
  "syncDirectory",
  "remove",
];
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** What disks say when they fail: a broken one, a full one, one without descriptors, one remounted read-only. */
export const FAULT_CODES = ["EIO", "ENOSPC", "EMFILE", "EROFS"] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** The n-th operation of a kind (from 1), and how it fails. */
export interface Fault {
  readonly kind: OperationKind;
  readonly nth: number;
  readonly code: FaultCode;
  /** It is done all the same, and reported as failed. */
  readonly isDone?: boolean;
}

/** A disk that fails once, and what became of it. */
export interface StruckDisk {
  readonly disk: SnapshotDisk;
  readonly isStruck: () => boolean;
  readonly isPointerMoved: () => boolean;
}

/** An error as Node makes them, with a path of the machine in it that nobody may repeat. */
export function systemError(code: FaultCode, kind: string): Error {
  return Object.assign(new Error(`${code}: ${kind} '/somewhere/on/this/machine'`), { code });
}

/** The real disk of a root, failing at one operation and working before and after; half of a failing write is written. */
export function strikeDisk(root: string, fault: Fault): StruckDisk {
  const real = createSnapshotDisk(root);
  let count = 0;
  let isPointerMoved = false;
  const strikes = (kind: OperationKind): boolean => {
    if (kind !== fault.kind) return false;
    count += 1;
    return count === fault.nth;
  };
  const step = async <Result>(kind: OperationKind, work: () => Promise<Result>): Promise<Result> => {
    const isStriking = strikes(kind);
    if (isStriking && fault.isDone !== true) throw systemError(fault.code, kind);
    const result = await work();
    if (isStriking) throw systemError(fault.code, kind);
    return result;
  };
  const wrap = (file: StagedFile): StagedFile => ({
    async write(bytes) {
      if (!strikes("write")) return file.write(bytes);
      await file.write(bytes.subarray(0, bytes.length >> 1));
      throw systemError(fault.code, "write");
    },
    sync: () => step("sync", () => file.sync()),
    async close() {
      await file.close();
      await step("close", async () => {});
    },
  });
  const disk: SnapshotDisk = {
    root,
    makeRoot: () => step("makeRoot", () => real.makeRoot()),
    lock() {
      if (strikes("lock")) throw systemError(fault.code, "lock");
      return real.lock();
    },
    names: (path) => step("names", () => real.names(path)),
    makeDirectory: (path) => step("makeDirectory", () => real.makeDirectory(path)),
    create: async (path) => wrap(await step("create", () => real.create(path))),
    link: (from, to) => step("link", () => real.link(from, to)),
    rename: (from, to) =>
      step("rename", async () => {
        await real.rename(from, to);
        if (to === "current.json") isPointerMoved = true;
      }),
    syncDirectory: (path) => step("syncDirectory", () => real.syncDirectory(path)),
    remove: (path) => step("remove", () => real.remove(path)),
  };
  return { disk, isStruck: () => count >= fault.nth, isPointerMoved: () => isPointerMoved };
}

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
