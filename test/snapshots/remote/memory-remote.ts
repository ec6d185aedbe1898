import { readFileSync } from "node:fs";
import { sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import type { RemoteUpload, RemoteWriter } from "../../../snapshots/remote/remote-store.ts";
import { remoteFailure } from "../../../snapshots/remote/remote-store.ts";

/** When a call breaks off: before the place took it, or after, and nobody hears. */
export type MemoryFault = "before" | "after";

/** What can be done to a place in memory. */
interface MemoryControls {
  /** Asked at every call; the first has the number 1. */
  fault: (call: { readonly number: number; readonly line: string }) => MemoryFault | undefined;
  /** Called when a swap of the pointer arrives, before it is judged: somebody else may be quicker. */
  beforeSwap: () => void | Promise<void>;
  isEnforcing: boolean;
}

/** The content of a place in memory, which several openings may share. */
export type MemoryContent = Map<string, { readonly bytes: Buffer; readonly sha256: string | undefined }>;

const etagOf = (bytes: Buffer): string => `"${sha256Hex(bytes).slice(0, 32)}"`;

/** Remote storage in memory: calls are numbered, and each can be made to fail. */
export function memoryRemote(content: MemoryContent = new Map()) {
  const calls: string[] = [];
  const controls: MemoryControls = { fault: () => undefined, beforeSwap: () => {}, isEnforcing: true };

  async function called<Result>(line: string, work: () => Result | Promise<Result>): Promise<Result> {
    calls.push(line);
    const fault = controls.fault({ number: calls.length, line });
    const cut = () => remoteFailure("REMOTE_AWAY", `memory: ${line} was cut`);
    if (fault === "before") throw cut();
    const result = await work();
    if (fault === "after") throw cut();
    return result;
  }

  const bytesOf = ({ content: from }: RemoteUpload): Buffer =>
    Buffer.isBuffer(from) ? from : readFileSync(from.localPath);

  const writer: RemoteWriter = {
    name: "memory://place",
    write: (path, file) =>
      called(`write ${path}`, () => {
        content.set(path, { bytes: bytesOf(file), sha256: file.sha256 });
      }),
    swap: (path, bytes, expectedEtag) =>
      called(`swap ${path}`, async () => {
        if (!path.startsWith(".")) await controls.beforeSwap();
        const file = content.get(path);
        const isAsExpected = file === undefined ? undefined : etagOf(file.bytes);
        if (controls.isEnforcing && isAsExpected !== expectedEtag) return false;
        content.set(path, { bytes, sha256: undefined });
        return true;
      }),
    remove: (paths) =>
      called(`remove ${paths.length}`, () => {
        for (const path of paths) content.delete(path);
      }),
    sha256Of: (path) => called(`inspect ${path}`, () => content.get(path)?.sha256),
    list: (prefix) =>
      called(`list ${prefix}`, () =>
        [...content].flatMap(([path, { bytes }]) =>
          path.startsWith(prefix) ? [{ path, bytes: bytes.length }] : [],
        ),
      ),
    listFolders: () =>
      called("list folders", () => [
        ...new Set(
          [...content.keys()].flatMap((path) => (path.includes("/") ? [path.split("/")[0] ?? ""] : [])),
        ),
      ]),
    readSmall: (path, bytesMax, knownEtag) =>
      called(`read ${path}`, () => {
        const file = content.get(path);
        if (file === undefined) return undefined;
        const etag = etagOf(file.bytes);
        if (etag === knownEtag) return "unchanged";
        if (file.bytes.length > bytesMax)
          throw remoteFailure("REMOTE_INVALID", `memory: ${path} is too large`);
        return { bytes: file.bytes, etag };
      }),
    async *read(path) {
      calls.push(`read ${path}`);
      const fault = controls.fault({ number: calls.length, line: `read ${path}` });
      const file = content.get(path);
      if (fault === "before") throw remoteFailure("REMOTE_AWAY", "memory: was cut");
      if (file === undefined) throw remoteFailure("REMOTE_MISSING", `memory: ${path} is not there`, { path });
      const half = file.bytes.length >> 1;
      yield file.bytes.subarray(0, half);
      // Of a reading, "after" is the middle: what came whole came.
      if (fault === "after") throw remoteFailure("REMOTE_AWAY", "memory: was cut");
      yield file.bytes.subarray(half);
    },
    close: () => {},
  };
  return {
    writer,
    content,
    controls,
    calls: (): readonly string[] => calls,
  };
}
