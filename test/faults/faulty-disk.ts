import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";

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
export type OperationKind = (typeof OPERATION_KINDS)[number];
/** What may have been done although it is reported as failed. */
export const REPORTED_KINDS: readonly OperationKind[] = [
  "makeDirectory",
  "link",
  "rename",
  "syncDirectory",
  "remove",
];

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

/** An error as Node makes them, with a path of the machine in it that nobody may repeat. */
export function systemError(code: FaultCode, kind: string): Error {
  return Object.assign(new Error(`${code}: ${kind} '/somewhere/on/this/machine'`), { code });
}

/** What an operation is given: paths, or the path of a file and the bytes written to it. */
export type OperationArguments = readonly unknown[];

/** Told of an operation before it is done; may throw instead of it. */
type Watch = (
  kind: OperationKind,
  args: OperationArguments,
) => {
  /** What it is given instead. */
  readonly args?: OperationArguments;
  /** Called when it was done; may throw all the same. */
  readonly end?: () => void;
};

/** The real disk of a root, with somebody who watches each of its operations. */
export function watchDisk(root: string, watch: Watch): SnapshotDisk {
  const watched = <Target extends object>(target: Target, file: readonly string[] = []): Target => {
    const get = (_: Target, name: string) => {
      const work: unknown = Reflect.get(target, name);
      if (typeof work !== "function") return work;
      const kind = name as OperationKind;
      const begin = (args: OperationArguments) => {
        const { args: given = [...file, ...args], end = () => {} } = watch(kind, [...file, ...args]);
        return { result: work.apply(target, given.slice(file.length)), end };
      };
      if (kind === "lock") {
        return () => {
          const { result, end } = begin([]);
          end();
          return result;
        };
      }
      return async (...args: OperationArguments) => {
        const { result, end } = begin(args);
        const value = await result;
        end();
        return kind === "create" ? watched(value, [String(args[0])]) : value;
      };
    };
    return new Proxy(target, { get } as ProxyHandler<Target>);
  };
  return watched(createSnapshotDisk(root));
}

/** The real disk of a root, failing at one operation and working before and after; half of a failing write is written. */
export function strikeDisk(root: string, { kind: struck, nth, code, isDone = false }: Fault) {
  let count = 0;
  let isPointerMoved = false;
  // A file is closed, and half of a write is written, before anybody is told that it failed.
  const isLate = isDone || struck === "close" || struck === "write";
  const disk = watchDisk(root, (kind, args) => {
    if (kind === struck) count += 1;
    const isStriking = kind === struck && count === nth;
    if (isStriking && !isLate) throw systemError(code, kind);
    const [path, other] = args;
    const isHalved = isStriking && Buffer.isBuffer(other);
    return {
      args: isHalved ? [path, other.subarray(0, other.length >> 1)] : args,
      end: () => {
        if (kind === "rename" && other === "current.json") isPointerMoved = true;
        if (isStriking) throw systemError(code, kind);
      },
    };
  });
  return { disk, isStruck: () => count >= nth, isPointerMoved: () => isPointerMoved };
}
