import { OperatorError } from "../operator-error.ts";

/** Files this program opens beside its connections: stores with their logs, versions, listeners, the operator's callers. */
const OTHER_FILES = 128;

/** Below that a front server with its kept connections would be turned away. */
const CONNECTIONS_MIN = 64;

/** How many connections fit under the system's limit. */
export interface ConnectionPlan {
  readonly connectionsMax: number;
  /** What an operator should hear, where they are fewer than they could be. */
  readonly warning?: string;
}

/** The soft limit in the text of `/proc/self/limits`; `undefined` where there is none, or none can be read. */
export function parseOpenFilesMax(text: string): number | undefined {
  const digits = /^Max open files +(\d{1,15}) /m.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * As many connections as leave room for everything else: a process without a free descriptor could read no file, and
 * answer nobody. Throws `OperatorError` OPEN_FILES_TOO_FEW where hardly any would be left.
 */
export function planConnections(wanted: number, openFilesMax: number | undefined): ConnectionPlan {
  if (openFilesMax === undefined) return { connectionsMax: wanted };
  const connectionsMax = Math.min(wanted, openFilesMax - OTHER_FILES);
  const raise = `ulimit -n ${wanted + OTHER_FILES}, or LimitNOFILE= in the unit`;
  if (connectionsMax < Math.min(wanted, CONNECTIONS_MIN)) {
    throw new OperatorError(
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

/** Whether an error, or what caused it, is that no file could be opened any more: it passes, so it is no 500. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "EMFILE" || code === "ENFILE" || isOutOfFiles(error.cause);
}
