/** Whether another program holds the file: the handle is sound, and the next turn may find it free. */
export function isBusy(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_BUSY");
}
