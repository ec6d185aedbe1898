/** Something wrong with a published version. */
export interface SnapshotProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** What verification found; no problem means good. */
export interface Verification {
  readonly version: string | undefined;
  readonly sequence: number | undefined;
  readonly files: number;
  readonly bytes: number;
  readonly documents: number;
  readonly problems: readonly SnapshotProblem[];
}

/** Verifies one version (the pointer's by default) offline; `deep` rebuilds every sum and every index row from the files. */
export async function verifySnapshot(
  _root: string,
  _options: { readonly version?: string; readonly sequenceMin?: number; readonly deep?: boolean } = {},
): Promise<Verification> {
  throw new Error("not written yet");
}
