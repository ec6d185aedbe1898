import { operatorFailure } from "../operator-error.ts";

/** Files opened besides callers' connections: stores with their logs, versions, listeners, operator connections. */
const OTHER_FILES = 128;

/** With fewer, a front server's kept connections would be refused. */
const CONNECTIONS_MIN = 64;

/** Reads the soft limit from the text of `/proc/self/limits`; `undefined` if there is none or it cannot be parsed. */
export function parseOpenFilesMax(text: string): number | undefined {
  const digits = /^Max open files +(\d{1,15}) /m.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns how many connections to allow, so that descriptors remain for everything else: a process without a free one can
 * read no file and answer no request. With it a warning for the operator if there are fewer than wanted. Throws
 * `OPEN_FILES_TOO_FEW` if too few would be left.
 */
export function planConnections(
  wanted: number,
  openFilesMax: number | undefined,
): { readonly connectionsMax: number; readonly warning?: string } {
  if (openFilesMax === undefined) return { connectionsMax: wanted };
  const connectionsMax = Math.min(wanted, openFilesMax - OTHER_FILES);
  const raise = `ulimit -n ${wanted + OTHER_FILES}, or LimitNOFILE= in the unit`;
  if (connectionsMax < Math.min(wanted, CONNECTIONS_MIN)) {
    throw operatorFailure(
      "OPEN_FILES_TOO_FEW",
      `This process may open only ${openFilesMax} files; it needs at least ${CONNECTIONS_MIN + OTHER_FILES}.`,
      `Raise the limit: ${raise}.`,
    );
  }
  if (connectionsMax === wanted) return { connectionsMax };
  return {
    connectionsMax,
    warning: `only ${connectionsMax} connections at once instead of ${wanted}, because this process may open only ${openFilesMax} files; raise the limit: ${raise}`,
  };
}

/** Whether an error or its cause is that no more files can be opened. That is temporary, so it is not a 500. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "EMFILE" || code === "ENFILE" || isOutOfFiles(error.cause);
}
