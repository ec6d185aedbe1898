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

/** The path of each file inside a version, or a function that returns it for a DAO or an entity (and a month). */
export const PATHS = {
  manifest: "manifest.json",
  /** The signature of the manifest's bytes. The manifest does not list it. */
  signature: "manifest.sig",
  index: "index.sqlite",
  ...documentPaths,
} as const;

export const SIGNATURE_BYTES = 64;
