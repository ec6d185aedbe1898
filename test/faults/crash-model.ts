import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OperationArguments, OperationKind } from "./faulty-disk.ts";

/** What lies in a folder of the model. */
type Node = FileNode | FolderNode;

interface FileNode {
  readonly kind: "file";
  /** What a reader sees while the machine runs. */
  live: Buffer;
  /** What a crash surely leaves; nothing before the first sync. */
  durable: Buffer | undefined;
}

/** One change of names in a folder; a rename within it is one change, as every file system makes it. */
interface NameChange {
  readonly added: readonly [name: string, node: Node][];
  readonly removed: readonly string[];
}

interface FolderNode {
  readonly kind: "folder";
  readonly live: Map<string, Node>;
  durable: Map<string, Node>;
  /** Made since the folder was last synced: a crash may keep any of them and lose any other. */
  pending: NameChange[];
}

/** What a crash does with everything that was not synced. */
export interface CrashChoices {
  /** Whether the change at this place, counted back from the newest (0) of its folder, was kept. */
  readonly keepsName: (fromNewest: number) => boolean;
  /** The content of a file whose bytes were never synced. */
  readonly content: (written: Buffer) => Buffer;
}

/** The tree that is found after a crash: folders as `undefined`, files as bytes, by path. */
export type CrashedTree = ReadonlyMap<string, Buffer | undefined>;

const newFolder = (): FolderNode => ({ kind: "folder", live: new Map(), durable: new Map(), pending: [] });

function change(folder: FolderNode, { added, removed }: NameChange): void {
  for (const name of removed) folder.live.delete(name);
  for (const [name, node] of added) folder.live.set(name, node);
  folder.pending.push({ added, removed });
}

function removeTree(folder: FolderNode, name: string): void {
  const node = folder.live.get(name);
  if (node?.kind === "folder") for (const child of [...node.live.keys()]) removeTree(node, child);
  if (node !== undefined) change(folder, { added: [], removed: [name] });
}

function namesAfterCrash(folder: FolderNode, { keepsName }: CrashChoices): ReadonlyMap<string, Node> {
  const names = new Map(folder.durable);
  for (const [step, { added, removed }] of folder.pending.entries()) {
    if (!keepsName(folder.pending.length - 1 - step)) continue;
    for (const name of removed) names.delete(name);
    for (const [name, node] of added) names.set(name, node);
  }
  return names;
}

function* treeAfterCrash(
  folder: FolderNode,
  choices: CrashChoices,
  prefix: string,
): Generator<[string, Buffer | undefined]> {
  for (const [name, node] of namesAfterCrash(folder, choices)) {
    const path = prefix === "" ? name : `${prefix}/${name}`;
    if (node.kind === "file") yield [path, node.durable ?? choices.content(node.live)];
    else {
      yield [path, undefined];
      yield* treeAfterCrash(node, choices, path);
    }
  }
}

/** What is on the disk already, all of it durable. */
function loadFolder(directory: string): FolderNode {
  const folder = newFolder();
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const bytes = lstatSync(path).isDirectory() ? undefined : readFileSync(path);
    const node: Node = bytes === undefined ? loadFolder(path) : { kind: "file", live: bytes, durable: bytes };
    folder.live.set(name, node);
  }
  folder.durable = new Map(folder.live);
  return folder;
}

/** A model of a root that keeps after a crash what POSIX promises and nothing more; it begins as the root is, or empty. */
export function createCrashModel(directory: string | undefined) {
  const root = directory === undefined ? newFolder() : loadFolder(directory);
  const split = (path: string): readonly string[] =>
    path.split("/").filter((part) => part !== "" && part !== ".");
  const folderAt = (parts: readonly string[]): FolderNode => {
    let folder = root;
    for (const part of parts) {
      const next = folder.live.get(part);
      if (next?.kind !== "folder") throw new Error(`the model has no folder ${parts.join("/")}`);
      folder = next;
    }
    return folder;
  };
  const placeOf = (path: string) => {
    const parts = split(path);
    return { folder: folderAt(parts.slice(0, -1)), name: parts.at(-1) ?? "" };
  };
  const nodeAt = (path: string): Node => {
    const { folder, name } = placeOf(path);
    const node = folder.live.get(name);
    if (node === undefined) throw new Error(`the model has no ${path}`);
    return node;
  };
  const fileAt = (path: string): FileNode => {
    const node = nodeAt(path);
    if (node.kind !== "file") throw new Error(`${path} of the model is no file`);
    return node;
  };
  const add = (path: string, node: Node) => {
    const { folder, name } = placeOf(path);
    change(folder, { added: [[name, node]], removed: [] });
  };
  const rename = (from: string, to: string) => {
    const node = nodeAt(from);
    const [before, after] = [placeOf(from), placeOf(to)];
    if (before.folder !== after.folder) throw new Error("the model renames within one folder only");
    change(after.folder, { added: [[after.name, node]], removed: [before.name] });
  };
  const changes: Partial<Record<OperationKind, (path: string, other: string & Buffer) => void>> = {
    makeDirectory: (path) => add(path, newFolder()),
    create: (path) => add(path, { kind: "file", live: Buffer.alloc(0), durable: undefined }),
    write: (path, bytes) => {
      const file = fileAt(path);
      file.live = Buffer.concat([file.live, bytes]);
      file.durable = undefined;
    },
    sync: (path) => {
      const file = fileAt(path);
      file.durable = file.live;
    },
    link: (from, to) => add(to, nodeAt(from)),
    rename,
    syncDirectory: (path) => {
      const folder = folderAt(split(path));
      folder.durable = new Map(folder.live);
      folder.pending = [];
    },
    remove: (path) => {
      const { folder, name } = placeOf(path);
      removeTree(folder, name);
    },
  };
  return {
    /** Does to the model what was done to the disk; answers whether that changes anything. */
    apply: (kind: OperationKind, args: OperationArguments): boolean => {
      const [path, other] = args as [string, string & Buffer];
      changes[kind]?.(path, other);
      return changes[kind] !== undefined;
    },
    crash: (choices: CrashChoices): CrashedTree => new Map(treeAfterCrash(root, choices, "")),
  };
}
