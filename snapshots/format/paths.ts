import { DOCUMENTS, type FileKind, filePath } from "./documents.ts";

type PathOf<Path extends string> = Path extends `${string}{month}${string}`
  ? (spaceId: string, month: string) => string
  : Path extends `${string}{id}${string}`
    ? (id: string) => string
    : Path;

const documentPaths = Object.fromEntries(
  Object.entries(DOCUMENTS).map(([kind, { path }]) => [
    kind,
    path.includes("{id}") ? (id: string, month?: string) => filePath(kind as FileKind, id, month) : path,
  ]),
) as { readonly [Kind in FileKind]: PathOf<(typeof DOCUMENTS)[Kind]["path"]> };

/** Where each file lies inside a version: a path, or how it is made of whose file it is. */
export const PATHS = {
  manifest: "manifest.json",
  /** Where the version is signed: 64 bytes, of the manifest's very bytes. The manifest does not name it. */
  signature: "manifest.sig",
  index: "index.sqlite",
  ...documentPaths,
} as const;

/** Bytes of every Ed25519 signature. */
export const SIGNATURE_BYTES = 64;
